//! The projected cost of a month at the rate of the last hour.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The pace is that of this time. A gateway that has just started has spent nothing in the rest of it: a minute is no pace.
const WINDOW: Duration = Duration::from_secs(3_600);

const MONTH: Duration = Duration::from_secs(30 * 24 * 3_600);

/// Projects costs to a month of 30 days.
pub(crate) struct CostProjection {
    /// US dollars spent by each time, from the start of the window on.
    samples: VecDeque<(Instant, f64)>,
}

impl CostProjection {
    pub(crate) fn new(started: Instant) -> Self {
        Self { samples: VecDeque::from([(started, 0.0)]) }
    }

    /// US dollars of a month, when `cost_usd` were spent by `now`.
    pub(crate) fn project(&mut self, cost_usd: f64, now: Instant) -> f64 {
        self.samples.push_back((now, cost_usd));
        while self.samples.get(1).is_some_and(|(at, _)| now - *at >= WINDOW) {
            self.samples.pop_front();
        }
        let (since, spent_usd) = self.samples[0];
        (cost_usd - spent_usd) * MONTH.div_duration_f64((now - since).max(WINDOW))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pace_is_that_of_the_last_hour() {
        let started = Instant::now();
        let mut projection = CostProjection::new(started);
        let mut project =
            |cost_usd, seconds| projection.project(cost_usd, started + Duration::from_secs(seconds)).round();
        assert_eq!(project(0.01, 1), 7.0, "one cent in the first second");
        assert_eq!(project(1.0, 1_800), 720.0);
        assert_eq!(project(1.0, 3_600), 720.0);
        assert_eq!(project(1.0, 5_400), 0.0);
    }
}
