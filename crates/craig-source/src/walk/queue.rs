//! A work queue to which the working threads may add tasks.

use std::{
    ops::Deref,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
};

/// Tasks for several threads, the newest first: of a tree of folders, so few wait at a time.
///
/// The lock is held for a push or a pop only; each task is a folder, which takes some system calls.
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    waiting: Vec<T>,
    n_in_work: usize,
}

/// A task in work; when it is dropped, it is done.
pub(super) struct InWork<'a, T> {
    task: T,
    queue: &'a Queue<T>,
}

impl<T> Queue<T> {
    pub(super) fn new(first: T) -> Self {
        Self { state: Mutex::new(State { waiting: vec![first], n_in_work: 0 }), changed: Condvar::new() }
    }

    pub(super) fn add(&self, task: T) {
        self.state().waiting.push(task);
        self.changed.notify_one();
    }

    /// The next task; waits while other threads may still add one. `None` if all tasks are done.
    pub(super) fn take(&self) -> Option<InWork<'_, T>> {
        let mut state = self.state();
        loop {
            if let Some(task) = state.waiting.pop() {
                state.n_in_work += 1;
                return Some(InWork { task, queue: self });
            }
            if state.n_in_work == 0 {
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// No code panics while it holds the lock, so a poisoned state is still valid.
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Deref for InWork<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.task
    }
}

impl<T> Drop for InWork<'_, T> {
    fn drop(&mut self) {
        let mut state = self.queue.state();
        state.n_in_work -= 1;
        if state.n_in_work == 0 && state.waiting.is_empty() {
            self.queue.changed.notify_all();
        }
    }
}
