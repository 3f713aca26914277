//! Session totals: times, models, context.

use std::collections::BTreeMap;

use super::super::Document;
use super::requests::{ModelRequest, Spending};
use crate::container::facts::{Figure, FigureSource, Timestamp};

/// Context usage of the main conversation, in prompt tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContextUsage {
    /// At the last request.
    pub last: u64,
    /// Maximum over all requests.
    pub peak: u64,
    /// Size of the context window, if known.
    pub window: Option<Figure<u64>>,
}

impl Document {
    /// The first and last time stated in the file. Looks at several at each end, as records are not always in
    /// chronological order.
    pub fn time_range(&self) -> Option<(Timestamp, Timestamp)> {
        let messages = self.messages();
        let first = self.session_info().start.into_iter().chain(messages.iter().filter_map(|message| message.moment()));
        let last = (0..messages.len()).rev().filter_map(|message| messages.last_moment(message));
        let answered = self.requests().iter().rev().take(SAMPLE).filter_map(|request| request.end);
        Some((first.take(SAMPLE).min()?, last.take(SAMPLE).chain(answered).max()?))
    }

    /// Spending of the whole session. A total cost stated in the file takes precedence over the sum of its requests'
    /// costs.
    pub fn session_spending(&self) -> Spending {
        let spending = self.requests().spending();
        let stated = self.session_info().cost.filter(|&cost| cost > 0.0);
        let recorded = |value| Figure { value, ground: FigureSource::Recorded };
        stated.map_or(spending, |cost| Spending { cost: Some(recorded(cost)), without_cost: 0, ..spending })
    }

    /// The models that answered, in name order, with the spending on each. Messages that name a model without
    /// mentioning a request are not counted.
    pub fn models(&self) -> impl Iterator<Item = (&str, Spending)> {
        let mut models: BTreeMap<&str, Spending> = BTreeMap::new();
        for request in self.requests().iter() {
            if let Some(model) = request.model {
                models.entry(model).or_default().add(&request, self.requests().cost_of(&request));
            }
        }
        models.into_iter()
    }

    /// Context window of a request's model in tokens: as recorded, or else according to the price table.
    pub fn context_window(&self, request: &ModelRequest<'_>) -> Option<Figure<u64>> {
        let recorded = self.session_info().window.map(|value| Figure { value, ground: FigureSource::Recorded });
        recorded.or_else(|| {
            let value = self.requests().prices()?.window(request.model?)?;
            Some(Figure { value, ground: FigureSource::Estimated })
        })
    }

    /// Context usage of the main conversation; `None` if no request states its prompt tokens.
    pub fn context(&self) -> Option<ContextUsage> {
        let filling = || self.requests().iter().filter(ModelRequest::fills_context);
        let last = filling().next_back()?;
        let peak = filling().filter_map(|request| request.prompt()).max()?;
        Some(ContextUsage { last: last.prompt()?, peak, window: self.context_window(&last) })
    }
}

/// Number of times compared at each end of the file.
const SAMPLE: usize = 16;
