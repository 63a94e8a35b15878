//! Long-running work on its own threads: the session continues, and the client may cancel the work.

use std::collections::HashMap;
use std::thread;

use craig_engine::Cancellation;
use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::RequestId;

use super::messages::{Done, WorkerMessage};

/// Requests that are worked on at the same time; the others wait in their order. A search that reads a folder for the first
/// time leaves one for the rest.
const N_THREADS: usize = 2;

/// The work of a request.
type Work = Box<dyn FnOnce(&Task) -> anyhow::Result<Done> + Send>;

/// Requests whose answers are being worked on.
pub(crate) struct Tasks {
    queue: Sender<(Task, Work)>,
    messages: Sender<WorkerMessage>,
    running: HashMap<RequestId, Cancellation>,
}

/// One of them, as its work sees it.
pub(crate) struct Task {
    id: RequestId,
    messages: Sender<WorkerMessage>,
    /// Whether anybody still waits.
    pub(crate) cancellation: Cancellation,
}

impl Task {
    /// Reports how far the work is.
    pub(crate) fn report_progress(&self, message: String, percentage: usize) {
        let percentage = u32::try_from(percentage.min(100)).unwrap_or(100);
        // The session may have ended.
        let _ = self.messages.send(WorkerMessage::Progress { id: self.id.clone(), message, percentage });
    }
}

impl Tasks {
    pub(crate) fn new(messages: Sender<WorkerMessage>) -> Self {
        let (queue, waiting) = unbounded();
        for _ in 0..N_THREADS {
            let waiting = waiting.clone();
            thread::spawn(move || work_off(&waiting));
        }
        Self { queue, messages, running: HashMap::new() }
    }

    /// Starts the work of a request; a message reports its end.
    pub(crate) fn start(
        &mut self,
        id: RequestId,
        work: impl FnOnce(&Task) -> anyhow::Result<Done> + Send + 'static,
    ) {
        let cancellation = Cancellation::default();
        self.running.insert(id.clone(), cancellation.clone());
        let task = Task { id, messages: self.messages.clone(), cancellation };
        // The threads live as long as the queue.
        let _ = self.queue.send((task, Box::new(work)));
    }

    /// Whether a request is being worked on; then nobody waits for it any more.
    pub(crate) fn cancel(&mut self, id: &RequestId) -> bool {
        self.running.remove(id).map(|cancellation| cancellation.cancel()).is_some()
    }

    /// Whether the client still waits for the response to a request that has ended.
    pub(crate) fn finish(&mut self, id: &RequestId) -> bool {
        self.running.remove(id).is_some()
    }

    pub(crate) fn is_running(&self, id: &RequestId) -> bool {
        self.running.contains_key(id)
    }
}

fn work_off(waiting: &Receiver<(Task, Work)>) {
    for (task, work) in waiting {
        if task.cancellation.is_cancelled() {
            continue;
        }
        let result = work(&task);
        let _ = task.messages.send(WorkerMessage::Done { id: task.id, result });
    }
}
