//! Waves of a conversation: calls of one message run in parallel, and before the calls of later messages.
//!
//! In a dialect without dependencies this is the only known ordering.

use super::{Document, Fate, Graph, Waves};

impl Graph {
    /// Splits the waves by the messages that contain their calls. Leaves a single message unchanged.
    pub(super) fn part_by_turns(&mut self, document: &Document) {
        if document.messages().len() < 2 {
            return;
        }
        let mut turns = vec![0_u32; self.nodes.len()];
        let mut placed: Vec<(u32, u32, u32)> = Vec::with_capacity(self.waves.nodes.len());
        for (wave, nodes) in self.waves.iter().enumerate() {
            for &node in nodes {
                let start = document.nth(node).span.start;
                let own = document.messages().whole_of(document.message_at(start)) as u32;
                // A call that depends on a call of a later message runs after that.
                let awaited = self.edges_of(node as usize).iter().map(|edge| turns[edge.to()]);
                turns[node as usize] = awaited.fold(own, u32::max);
                placed.push((turns[node as usize], wave as u32, node));
            }
        }
        placed.sort_unstable();
        let mut waves = Waves::default();
        for calls in placed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let number = waves.ends.len() as u32;
            for &(_, _, node) in calls {
                self.nodes[node as usize].fate = Fate::Runs(number);
                waves.nodes.push(node);
            }
            waves.ends.push(waves.nodes.len() as u32);
            waves.messages.push(calls[0].0);
        }
        self.waves = waves;
    }
}

#[cfg(test)]
mod tests {
    use crate::session::Session;

    #[test]
    fn calls_of_a_message_are_a_wave_and_come_before_those_of_a_later_one() {
        let call = |id: &str| {
            format!(
                "{{\"id\": \"{id}\", \"type\": \"function\", \"function\": {{\"name\": \"f\", \"arguments\": \"{{}}\"}}}}"
            )
        };
        let said = |calls: &[&str]| {
            let calls: Vec<String> = calls.iter().map(|id| call(id)).collect();
            format!("{{\"role\": \"assistant\", \"content\": null, \"tool_calls\": [{}]}}", calls.join(", "))
        };
        let text = format!("{{\"messages\": [{}, {}, {}]}}", said(&["a", "b"]), said(&["c"]), said(&["d", "e"]));
        let session = Session::from_bytes(text.as_bytes());
        let graph = session.graph();
        let waves: Vec<(Option<usize>, Vec<u32>)> =
            graph.waves.iter().enumerate().map(|(wave, nodes)| (graph.waves.message(wave), nodes.to_vec())).collect();
        assert_eq!(waves, [(Some(0), vec![0, 1]), (Some(1), vec![2]), (Some(2), vec![3, 4])]);
    }

    #[test]
    fn calls_of_a_message_between_which_results_come_are_one_wave() {
        let record = |number: usize, role: &str, message: &str, content: &str| {
            format!(
                "{{\"type\": \"{role}\", \"sessionId\": \"s\", \"uuid\": \"u{number}\", \"message\": \
                 {{\"id\": {message}, \"role\": \"{role}\", \"content\": [{content}]}}}}\n"
            )
        };
        let call = |id: &str| format!("{{\"type\": \"tool_use\", \"id\": \"{id}\", \"name\": \"f\", \"input\": {{}}}}");
        let result = |id: &str| format!("{{\"type\": \"tool_result\", \"tool_use_id\": \"{id}\", \"content\": \"x\"}}");
        let text: String = [("a", "m1"), ("b", "m1"), ("c", "m2")]
            .iter()
            .enumerate()
            .map(|(number, (id, message))| {
                record(2 * number, "assistant", &format!("\"{message}\""), &call(id))
                    + &record(2 * number + 1, "user", "null", &result(id))
            })
            .collect();
        let session = Session::from_bytes(text.as_bytes());
        let graph = session.graph();
        let waves: Vec<Vec<u32>> = graph.waves.iter().map(<[u32]>::to_vec).collect();
        assert_eq!(waves, [vec![0, 1], vec![2]]);
    }
}
