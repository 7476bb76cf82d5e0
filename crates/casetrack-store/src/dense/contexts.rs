//! The search contexts of a graph. usearch fails a search for which it has none left; here it waits for one.

use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

/// Contexts of an index, and so the searches that run at once: twice the cores, because some wait for pages of the
/// mapped file. Each takes about 100 kB.
pub(super) static COUNT: LazyLock<usize> =
    LazyLock::new(|| 2 * std::thread::available_parallelism().map_or(1, |cores| cores.get()));

#[derive(Debug)]
pub(super) struct Contexts {
    free: Mutex<usize>,
    returned: Condvar,
}

impl Default for Contexts {
    fn default() -> Self {
        Self { free: Mutex::new(*COUNT), returned: Condvar::new() }
    }
}

impl Contexts {
    /// Runs a search when one is free.
    pub fn run<T>(&self, search: impl FnOnce() -> T) -> T {
        let mut free = self.free();
        while *free == 0 {
            free = self.returned.wait(free).unwrap_or_else(PoisonError::into_inner);
        }
        *free -= 1;
        drop(free);
        let _return = Return(self);
        search()
    }

    fn free(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Return<'c>(&'c Contexts);

impl Drop for Return<'_> {
    fn drop(&mut self) {
        *self.0.free() += 1;
        self.0.returned.notify_one();
    }
}
