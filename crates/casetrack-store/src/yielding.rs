//! A lock that a long change shares with short searches.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex whose long-running user lets others go first. std's is not fair: a thread that releases and takes it again in a loop
/// would keep the others out for as long as the loop runs.
#[derive(Debug)]
pub(crate) struct YieldingMutex<T> {
    inner: Mutex<T>,
    waiting: AtomicUsize,
}

impl<T> YieldingMutex<T> {
    pub fn new(value: T) -> Self {
        Self { inner: Mutex::new(value), waiting: AtomicUsize::new(0) }
    }

    /// For brief use.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let guard = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        guard
    }

    /// For each step of a loop: waits until nobody else waits.
    pub fn lock_after_others(&self) -> MutexGuard<'_, T> {
        while self.waiting.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_loop_does_not_keep_others_out() {
        let mutex = YieldingMutex::new(0u64);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    let mut steps = mutex.lock_after_others();
                    *steps += 1;
                    std::thread::sleep(Duration::from_micros(500));
                }
            });
            let started = Instant::now();
            for _ in 0..50 {
                drop(mutex.lock());
            }
            done.store(true, Ordering::SeqCst);
            assert!(started.elapsed() < Duration::from_secs(5), "50 turns took {:?}", started.elapsed());
        });
    }
}
