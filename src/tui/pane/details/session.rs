//! Facts about the session at the selection: turn, request, context, duration of a call, sub-agent.

use crate::container::facts::{FigureSource, ReportedTokens, SessionState};
use crate::document::Turn;
use crate::document::facts::requests::Spending;
use crate::text::sanitize::visible_str;
use crate::text::wrap::fit;
use crate::wording::figures;

use crate::tui::pane::details::{Fields, LABEL};
use crate::tui::row::count;
use crate::tui::style::Role;

/// Columns reserved for the figures of a turn after its prompt.
const FIGURES: usize = 40;

impl Fields<'_> {
    /// The duration of a call, and how it was determined.
    pub(super) fn time(&mut self, item: usize) {
        let document = self.view.session.document();
        let Some(took) = document.call_duration(item, self.view.session.text()) else { return };
        let ground = match took.ground {
            FigureSource::Recorded => "recorded",
            FigureSource::Bound => "at most: from its record to that of its result, waiting for a permission included",
            _ => "from its recorded start to its end",
        };
        self.field("duration", &format!("{} ({ground})", figures::duration_figure(took)), Role::Text);
    }

    /// The sub-agent that a call started.
    pub(super) fn agent(&mut self, item: usize) {
        let Some(agent) = self.view.agent_of(item) else { return };
        let facts = agent.facts;
        let mut words: Vec<String> =
            [&facts.kind, &facts.status].into_iter().flatten().map(ToString::to_string).collect();
        words.extend(facts.took.map(figures::duration));
        words.extend(facts.calls.map(|calls| count(calls as usize, "call")));
        words.extend(facts.reported.map(|(tokens, meaning)| {
            let meaning = match meaning {
                ReportedTokens::LastRequest => "in its context at the end",
                ReportedTokens::Sum => "in all",
            };
            format!("{} tokens {meaning}", figures::exact_tokens(tokens))
        }));
        if self.view.opens_agent(item, &agent) {
            words.push("Enter opens its conversation".to_owned());
        } else {
            words.extend(facts.session.as_deref().map(|id| format!("its conversation is session {id}")));
        }
        self.field("sub-agent", &words.join(" · "), Role::Text);
    }

    /// The turn that contains the byte at `offset`.
    pub(super) fn turn(&mut self, offset: usize) {
        let Some(turn) = self.view.turn_at(offset) else { return };
        let summary = self.view.turn_summary(turn);
        let all = self.view.session.document().turn_count();
        let prompt = visible_str(&self.view.prompt(turn)).into_owned();
        let prompt = fit(&prompt, self.width.saturating_sub(LABEL + FIGURES).max(20));
        let number = self.view.session.document().turn_number(turn);
        let mut words =
            vec![number.map_or(format!("abandoned: {prompt}"), |number| format!("{number} of {all}: {prompt}"))];
        words.extend(summary.duration().map(figures::duration));
        words.push(count(summary.calls, "call"));
        words.extend(self.spent(&summary.spending));
        self.field("turn", &words.join(" · "), Role::User);
        self.states(turn, offset);
    }

    /// States of the session: permission mode at `offset`, plan at the end of the turn, interruption.
    fn states(&mut self, turn: Turn, offset: usize) {
        let span = self.view.span_of_turn(turn);
        let document = self.view.session.document();
        let permission = document.states_up_to(offset).iter().rev().find_map(|(_, state)| match state {
            SessionState::Permission(mode) => Some(format!("permissions: {mode}")),
            _ => None,
        });
        let plan = document.states_up_to(span.end).iter().rev().find_map(|(_, state)| match state {
            SessionState::Plan { done, total } => Some(format!("plan: {done} of {}", count(*total as usize, "task"))),
            _ => None,
        });
        let words: Vec<String> = [permission, plan].into_iter().flatten().collect();
        if !words.is_empty() {
            self.field("state", &words.join(" · "), Role::Text);
        }
        if self.view.session.document().is_interrupted_after(span.start) {
            self.field("ended", "interrupted by the user", Role::Warning);
        }
    }

    /// The request whose answer contains the byte at `offset`, and the context there.
    pub(super) fn request(&mut self, offset: usize) {
        let document = self.view.session.document();
        let message = document.messages().whole_of(document.message_at(offset));
        let request = document.requests().of_message(message).and_then(|number| document.requests().get(number));
        if let Some(request) = request {
            let mut words: Vec<String> = request.model.map(str::to_owned).into_iter().collect();
            words.extend(request.usage.map(|usage| figures::exact_usage(&usage)));
            words.extend(figures::cost(self.view.session.cost_of(&request), 0, self.day_of_prices()));
            words.extend(request.stop.map(|stop| format!("stop: {stop}")));
            words.extend(request.effort.map(|effort| format!("effort: {effort}")));
            words.extend(request.error.map(|error| format!("error: {error}")));
            self.field("request", &words.join(" · "), Role::Text);
        }
        if let Some((tokens, window)) = self.view.context_at(offset) {
            let full = window.and_then(|window| {
                let share = figures::percent(tokens, window.value)?;
                Some(format!(" of {} ({share})", figures::window(window)))
            });
            let words = format!("{}{} tokens", figures::exact_tokens(tokens), full.unwrap_or_default());
            self.field("context", &words, Role::Text);
        }
    }

    /// Tokens and costs of the whole session.
    pub(super) fn session(&mut self) {
        let spending = self.view.spending();
        if spending.requests > 0 {
            let document = self.view.whole().document();
            let lacking = document.agents_without_requests();
            let lacking = (lacking > 0).then(|| format!("without {} in other files", count(lacking, "sub-agent")));
            let agents = document.agents().len();
            let all = (agents > 0 && lacking.is_none()).then(|| format!("{} included", count(agents, "sub-agent")));
            let words: Vec<String> = std::iter::once(count(spending.requests, "request"))
                .chain(self.spent(&spending))
                .chain(lacking)
                .chain(all)
                .collect();
            self.field("session", &words.join(" · "), Role::Text);
        }
        if spending.without_cost > 0 {
            let unpriced = self.view.whole().document().requests().models_without_price();
            let names: Vec<&str> = unpriced.into_iter().collect();
            if !names.is_empty() {
                self.field("no price", &names.join(", "), Role::Warning);
            }
        }
    }

    /// Tokens by kind, and cost.
    fn spent(&self, spending: &Spending) -> impl Iterator<Item = String> + use<> {
        let tokens = spending.usage.total().map(|_| figures::exact_usage(&spending.usage));
        let cost = figures::cost(spending.cost, spending.without_cost, self.day_of_prices());
        tokens.into_iter().chain(cost)
    }

    /// Date of the price table.
    fn day_of_prices(&self) -> Option<&str> {
        self.view.session.document().requests().prices()?.date.as_deref()
    }
}
