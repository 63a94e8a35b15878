//! The circuit breakers of a provider, one for each model.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use craig_engine::{Breaker, BreakerSettings, BreakerState};

/// Models that only clients name: beyond this many for one provider, they share a breaker.
const MAX_OTHER_MODELS: usize = 100;

/// The name in metrics and logs of models that only clients name.
pub(crate) const OTHER_MODEL: &str = "other";

/// The breakers of one provider, by its own names of models.
pub(crate) struct Breakers {
    settings: BreakerSettings,
    /// Breakers of the configured models; the empty name is the provider's own choice.
    configured: BTreeMap<String, Arc<Breaker>>,
    /// Breakers of models that only clients name. The lock is held to find one, never across an await.
    others: Mutex<HashMap<String, Arc<Breaker>>>,
    /// The common breaker of all models beyond [`MAX_OTHER_MODELS`].
    rest: Arc<Breaker>,
}

impl Breakers {
    pub(crate) fn new<'m>(settings: BreakerSettings, models: impl IntoIterator<Item = &'m str>) -> Self {
        let breaker = || Arc::new(Breaker::new(settings));
        let configured = models.into_iter().chain([""]).map(|model| (model.to_owned(), breaker())).collect();
        Self { settings, configured, others: Mutex::default(), rest: breaker() }
    }

    /// Whether they have these settings, and breakers for these models.
    pub(crate) fn are_for<'m>(
        &self,
        settings: BreakerSettings,
        models: impl IntoIterator<Item = &'m str>,
    ) -> bool {
        let models: BTreeSet<&str> = models.into_iter().chain([""]).collect();
        self.settings == settings && models.into_iter().eq(self.configured.keys().map(String::as_str))
    }

    /// The breaker of a model, or of the provider's own choice if `model` is `None`.
    pub(crate) fn for_model(&self, model: Option<&str>) -> Arc<Breaker> {
        let model = model.unwrap_or_default();
        if let Some(breaker) = self.configured.get(model) {
            return Arc::clone(breaker);
        }
        let mut others = self.others();
        if let Some(breaker) = others.get(model) {
            return Arc::clone(breaker);
        }
        if others.len() >= MAX_OTHER_MODELS {
            others.retain(|_, breaker| Arc::strong_count(breaker) > 1 || !breaker.is_idle());
        }
        if others.len() >= MAX_OTHER_MODELS {
            return Arc::clone(&self.rest);
        }
        let breaker = Arc::new(Breaker::new(self.settings));
        others.insert(model.to_owned(), Arc::clone(&breaker));
        breaker
    }

    /// The state of each configured model, and as `other` the worst of those that only clients name.
    pub(crate) fn states(&self) -> Vec<(&str, BreakerState)> {
        let configured = self.configured.iter().filter(|(model, _)| !model.is_empty());
        let mut states: Vec<_> =
            configured.map(|(model, breaker)| (model.as_str(), breaker.state())).collect();
        let unnamed = self.configured.get("").into_iter().chain([&self.rest]).map(|breaker| breaker.state());
        let others = self.others().values().map(|breaker| breaker.state()).max();
        states.push((OTHER_MODEL, unnamed.chain(others).max().unwrap_or(BreakerState::Closed)));
        states
    }

    fn others(&self) -> MutexGuard<'_, HashMap<String, Arc<Breaker>>> {
        self.others.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use craig_engine::FailureClass;

    use super::*;

    fn fail(breaker: &Arc<Breaker>, class: FailureClass) {
        breaker.admit().unwrap().record_failure(class, None);
    }

    #[test]
    fn a_rate_limit_of_one_model_stops_no_other() {
        let breakers = Breakers::new(BreakerSettings::default(), ["configured"]);
        let wait = Some(Duration::from_secs(9));
        breakers.for_model(Some("a")).admit().unwrap().record_failure(FailureClass::RateLimit, wait);
        assert!(breakers.for_model(Some("a")).admit().is_err());
        assert!(breakers.for_model(Some("b")).admit().is_ok() && breakers.for_model(None).admit().is_ok());
    }

    #[test]
    fn clients_that_invent_models_do_not_make_breakers_without_end() {
        let breakers = Breakers::new(BreakerSettings::default(), ["configured"]);
        (0..20).for_each(|_| fail(&breakers.for_model(Some("down")), FailureClass::Server));
        for n in 0..1_000 {
            fail(&breakers.for_model(Some(&format!("invented {n}"))), FailureClass::InvalidRequest);
        }
        assert!(breakers.others().len() <= MAX_OTHER_MODELS);
        assert_eq!(breakers.for_model(Some("down")).state(), BreakerState::Open);
        assert_eq!(
            breakers.states(),
            [("configured", BreakerState::Closed), (OTHER_MODEL, BreakerState::Open)]
        );
    }
}
