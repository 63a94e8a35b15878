//! A memory budget for the requests and the whole answers of all clients.

use std::sync::Arc;

use bytes::Bytes;
use prometheus::IntGauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of one permit: semaphores count up to 2³² at a time.
const UNIT_BYTES: usize = 1 << 10;

/// Bytes that may be held at the same time.
#[derive(Clone)]
pub(crate) struct Budget {
    units: Arc<Semaphore>,
    total_units: usize,
    gauge: IntGauge,
}

/// A part of the budget; given back when it is dropped.
pub(crate) struct Reservation {
    budget: Budget,
    permit: Option<OwnedSemaphorePermit>,
    units: usize,
}

impl Budget {
    /// Three quarters of `bytes` for requests and the rest for answers, so that admitted requests can be answered. `gauge`
    /// shows how many bytes are reserved.
    pub(crate) fn for_requests_and_answers(bytes: usize, gauge: &IntGauge) -> (Self, Self) {
        let for_answers = bytes / 4;
        (Self::new(bytes - for_answers, gauge.clone()), Self::new(for_answers, gauge.clone()))
    }

    /// A budget of its own, which no metric shows.
    pub(crate) fn own(bytes: usize) -> Result<Self, prometheus::Error> {
        Ok(Self::new(bytes, IntGauge::new("buffered_bytes", "Reserved memory.")?))
    }

    fn new(bytes: usize, gauge: IntGauge) -> Self {
        let total_units = bytes.div_ceil(UNIT_BYTES).clamp(1, Semaphore::MAX_PERMITS.min(u32::MAX as usize));
        Self { units: Arc::new(Semaphore::new(total_units)), total_units, gauge }
    }

    /// The whole budget, in bytes.
    pub(crate) fn total_bytes(&self) -> usize {
        self.total_units * UNIT_BYTES
    }

    pub(crate) fn reservation(&self) -> Reservation {
        Reservation { budget: self.clone(), permit: None, units: 0 }
    }
}

impl Reservation {
    /// Grows to `bytes` in all; false if the budget does not allow it.
    pub(crate) fn grow_to(&mut self, bytes: usize) -> bool {
        let wanted = bytes.div_ceil(UNIT_BYTES);
        let Some(more) = wanted.checked_sub(self.units).filter(|more| *more > 0) else { return true };
        let Ok(permit) =
            Arc::clone(&self.budget.units).try_acquire_many_owned(u32::try_from(more).unwrap_or(u32::MAX))
        else {
            return false;
        };
        match &mut self.permit {
            Some(own) => own.merge(permit),
            None => self.permit = Some(permit),
        }
        self.budget.gauge.add(gauge_bytes(more));
        self.units = wanted;
        true
    }

    /// The whole reservation; an empty one stays.
    pub(crate) fn take(&mut self) -> Self {
        let empty = self.budget.reservation();
        std::mem::replace(self, empty)
    }

    /// `bytes` that hold the reservation as long as any part of them lives.
    pub(crate) fn with(self: Arc<Self>, bytes: Bytes) -> Bytes {
        struct Held {
            bytes: Bytes,
            _reservation: Arc<Reservation>,
        }
        impl AsRef<[u8]> for Held {
            fn as_ref(&self) -> &[u8] {
                &self.bytes
            }
        }
        Bytes::from_owner(Held { bytes, _reservation: self })
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.budget.gauge.sub(gauge_bytes(self.units));
    }
}

fn gauge_bytes(units: usize) -> i64 {
    i64::try_from(units.saturating_mul(UNIT_BYTES)).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_is_bounded_and_given_back() {
        let gauge = IntGauge::new("held", "for a test").unwrap();
        let budget = Budget::new(10 << 10, gauge.clone());
        let (mut one, mut other) = (budget.reservation(), budget.reservation());
        assert!(one.grow_to(1) && one.grow_to(6 << 10) && other.grow_to(4 << 10));
        assert!(!other.grow_to(5 << 10) && !budget.reservation().grow_to(1));
        assert!(one.grow_to(2 << 10), "it never shrinks");
        assert_eq!(gauge.get(), 10 << 10);
        let bytes = Arc::new(one).with(Bytes::from_static(b"text"));
        let part = bytes.slice(1..2);
        drop(bytes);
        assert!(!other.grow_to(5 << 10), "a part is still there");
        drop(part);
        assert!(other.grow_to(10 << 10));
        drop(other);
        assert!(!budget.reservation().grow_to(11 << 10));
        let (requests, answers) = Budget::for_requests_and_answers(100 << 10, &gauge);
        assert_eq!((requests.total_bytes(), answers.total_bytes()), (75 << 10, 25 << 10));
        assert_eq!(gauge.get(), 0);
    }
}
