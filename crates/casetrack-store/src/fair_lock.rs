//! A lock that a long change shares with short searches.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// A reader-writer lock whose long-running writer lets others go first. The standard library's is not fair: a thread
/// that releases and takes it in a loop can keep the others out.
#[derive(Debug)]
pub(crate) struct YieldingLock<T> {
    inner: RwLock<T>,
    waiting: AtomicUsize,
}

impl<T> YieldingLock<T> {
    pub fn new(value: T) -> Self {
        Self { inner: RwLock::new(value), waiting: AtomicUsize::new(0) }
    }

    /// For searches: any number of them at once.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.counted(|| self.inner.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// For one brief change.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.counted(|| self.inner.write().unwrap_or_else(PoisonError::into_inner))
    }

    /// For each step of a loop: waits until no other thread waits.
    pub fn write_after_others(&self) -> RwLockWriteGuard<'_, T> {
        while self.waiting.load(Ordering::SeqCst) > 0 {
            std::thread::yield_now();
        }
        self.inner.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn counted<G>(&self, take: impl FnOnce() -> G) -> G {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let guard = take();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        guard
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;

    #[test]
    fn readers_share_it() {
        let lock = YieldingLock::new(());
        // Each waits for the other while it holds the lock.
        let both = Barrier::new(2);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let _guard = lock.read();
                    both.wait();
                });
            }
        });
    }

    #[test]
    fn a_loop_does_not_keep_others_out() {
        const STEPS: u64 = 200_000;
        let lock = YieldingLock::new(0u64);
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    let mut steps = lock.write_after_others();
                    *steps += 1;
                    if *steps == STEPS {
                        break;
                    }
                    std::thread::sleep(Duration::from_micros(500));
                }
            });
            let steps = (0..50).map(|_| *lock.read()).last();
            done.store(true, Ordering::SeqCst);
            assert!(steps < Some(STEPS), "the loop had to end first");
        });
    }
}
