//! Arguments of a filter that may be given by position or by name, as Python's functions take them.

use minijinja::value::{Kwargs, Rest, Value, ValueOrKwargs};
use minijinja::{Error, ErrorKind};

/// Arguments of one call of a filter, test or method, bound to names as Python binds them.
pub struct Arguments<'n> {
    /// Names, in the order of the positions.
    names: &'n [&'n str],
    positional: Vec<Value>,
    named: Kwargs,
}

impl<'n> Arguments<'n> {
    /// Tells positional arguments from named ones.
    ///
    /// # Errors
    ///
    /// More of them than there are names.
    pub fn new(names: &'n [&'n str], given: Rest<ValueOrKwargs>) -> Result<Self, Error> {
        let mut positional = given.into_values();
        let named = match positional.pop_if(|last| last.is_kwargs()) {
            Some(named) => Kwargs::try_from(named)?,
            None => std::iter::empty::<(String, Value)>().collect(),
        };
        if positional.len() > names.len() {
            return Err(Error::from(ErrorKind::TooManyArguments));
        }
        Ok(Self { names, positional, named })
    }

    /// The argument of a name; nothing if it is absent or None.
    ///
    /// # Errors
    ///
    /// A value of another type.
    pub fn get(&self, name: &str) -> Result<Option<Value>, Error> {
        let position = self.names.iter().position(|known| *known == name);
        let value = match position.and_then(|position| self.positional.get(position)) {
            Some(value) => Some(value.clone()),
            None => self.named.get::<Option<Value>>(name)?,
        };
        Ok(value.filter(|value| !value.is_none()))
    }

    /// True if the argument of a name is true for Python.
    ///
    /// # Errors
    ///
    /// See [`Self::get`].
    pub fn is_set(&self, name: &str) -> Result<bool, Error> {
        Ok(self.get(name)?.is_some_and(|value| value.is_true()))
    }

    /// Refuses names that no argument has.
    ///
    /// # Errors
    ///
    /// A name that was not read.
    pub fn finish(&self) -> Result<(), Error> {
        self.named.assert_all_used()
    }
}
