//! The session in figures: its times, its models, its context.

use std::collections::BTreeMap;

use super::super::Document;
use super::requests::{ModelRequest, Spending};
use crate::container::facts::{Figure, Ground, Timestamp};

/// How full the context of the main conversation was, in tokens of the prompt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Context {
    /// At the last request.
    pub last: u64,
    /// At the fullest one.
    pub peak: u64,
    /// Tokens that it holds, where that is known.
    pub window: Option<Figure<u64>>,
}

impl Document {
    /// The first and the last time that the file states; files are not always in the order of time.
    pub fn time_range(&self) -> Option<(Timestamp, Timestamp)> {
        let messages = self.messages();
        let first = self.session_info().start.into_iter().chain(messages.iter().filter_map(|message| message.moment()));
        let last = (0..messages.len()).rev().filter_map(|message| messages.last_moment(message));
        let answered = self.requests().iter().rev().take(SAMPLE).filter_map(|request| request.end);
        Some((first.take(SAMPLE).min()?, last.take(SAMPLE).chain(answered).max()?))
    }

    /// Spending of the whole session. A cost that the file states for it wins over the sum of its requests' costs.
    pub fn session_spending(&self) -> Spending {
        let spending = self.requests().spending();
        let stated = self.session_info().cost.filter(|&cost| cost > 0.0);
        let recorded = |value| Figure { value, ground: Ground::Recorded };
        stated.map_or(spending, |cost| Spending { cost: Some(recorded(cost)), without_cost: 0, ..spending })
    }

    /// The models that answered, in the order of their names, with the spending on each. Messages that name a model and
    /// mention no request count as no request.
    pub fn models(&self) -> impl Iterator<Item = (&str, Spending)> {
        let mut models: BTreeMap<&str, Spending> = BTreeMap::new();
        for request in self.requests().iter() {
            if let Some(model) = request.model {
                models.entry(model).or_default().add(&request, self.requests().cost_of(&request));
            }
        }
        models.into_iter()
    }

    /// Tokens that the context holds at a request: as the file records it, else by the table of prices.
    pub fn context_window(&self, request: &ModelRequest<'_>) -> Option<Figure<u64>> {
        let recorded = self.session_info().window.map(|value| Figure { value, ground: Ground::Recorded });
        recorded.or_else(|| {
            let value = self.requests().prices()?.window(request.model?)?;
            Some(Figure { value, ground: Ground::Estimated })
        })
    }

    /// How full the context of the main conversation was; `None` where no request states the tokens of its prompt.
    pub fn context(&self) -> Option<Context> {
        let filling = || self.requests().iter().filter(ModelRequest::fills_context);
        let last = filling().next_back()?;
        let peak = filling().filter_map(|request| request.prompt()).max()?;
        Some(Context { last: last.prompt()?, peak, window: self.context_window(&last) })
    }
}

/// How many of the first and last times are compared.
const SAMPLE: usize = 16;
