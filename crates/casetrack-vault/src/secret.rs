//! 32 secret bytes, and the random bytes that they come from.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::fmt;
use std::ptr::NonNull;

use casetrack_core::{Error, ErrorCode, Result};
use zeroize::Zeroize;

const BYTES: usize = 32;

/// A key of 256 bits. It has a page of memory of its own, which the system is asked to keep out of swap and core dumps;
/// it is overwritten when it is dropped, and does not show in logs.
///
/// The system locks whole pages: unlocking one secret would unlock its neighbours on the page. There are few secrets.
pub struct Secret {
    at: NonNull<u8>,
    layout: Layout,
    locked: bool,
}

// SAFETY: only this value owns the memory, and changes it only while it is being made and dropped.
unsafe impl Send for Secret {}
// SAFETY: as above; shared references only read.
unsafe impl Sync for Secret {}

impl Secret {
    pub fn random() -> Result<Self> {
        Self::filled(fill)
    }

    /// One that `fill` writes in place, so that no other copy is made.
    pub(crate) fn filled(fill: impl FnOnce(&mut [u8]) -> Result<()>) -> Result<Self> {
        let mut secret = Self::empty();
        fill(secret.bytes_mut())?;
        Ok(secret)
    }

    /// A copy of `bytes`, which must be 32.
    pub(crate) fn copied(bytes: &[u8]) -> Option<Self> {
        let mut secret = Self::empty();
        (bytes.len() == BYTES).then(|| secret.bytes_mut().copy_from_slice(bytes))?;
        Some(secret)
    }

    fn empty() -> Self {
        let page = pages::bytes();
        // A page has a power of two of bytes on every system; anything else would be refused here, and 32 bytes are
        // always possible.
        let layout = Layout::from_size_align(page, page).unwrap_or_else(|_| Layout::new::<[u8; BYTES]>());
        // SAFETY: the layout is not empty.
        let at = NonNull::new(unsafe { alloc_zeroed(layout) }).unwrap_or_else(|| handle_alloc_error(layout));
        let locked = pages::lock(at, layout.size());
        Self { at, layout, locked }
    }

    /// The bytes themselves.
    pub fn reveal(&self) -> &[u8; BYTES] {
        // SAFETY: at least 32 bytes were allocated and set to zero, and live as long as this value; any alignment suits bytes.
        unsafe { self.at.cast().as_ref() }
    }

    fn bytes_mut(&mut self) -> &mut [u8; BYTES] {
        // SAFETY: as above; there is no other reference.
        unsafe { self.at.cast().as_mut() }
    }

    /// True if the system keeps it out of swap; a system may refuse if a process has locked as much as it may.
    pub fn is_kept_from_swap(&self) -> bool {
        self.locked
    }
}

impl Clone for Secret {
    fn clone(&self) -> Self {
        let mut copy = Self::empty();
        copy.bytes_mut().copy_from_slice(self.reveal());
        copy
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.bytes_mut().zeroize();
        pages::release(self.at, self.layout.size(), self.locked);
        // SAFETY: allocated with this layout, and not used again.
        unsafe { dealloc(self.at.as_ptr(), self.layout) };
    }
}

/// Whole pages of memory, as the system locks them.
#[cfg(unix)]
mod pages {
    use std::ptr::NonNull;

    /// Size of one.
    pub fn bytes() -> usize {
        // SAFETY: it only asks for a number.
        usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096).max(4096)
    }

    /// Keeps them out of swap and core dumps; true if the system keeps them out of swap.
    pub fn lock(at: NonNull<u8>, bytes: usize) -> bool {
        let at = at.as_ptr().cast::<libc::c_void>();
        // SAFETY: these pages were allocated by the caller. Neither call changes their content.
        unsafe {
            #[cfg(target_os = "linux")]
            libc::madvise(at, bytes, libc::MADV_DONTDUMP);
            libc::mlock(at, bytes) == 0
        }
    }

    /// Makes them ordinary memory again.
    pub fn release(at: NonNull<u8>, bytes: usize, locked: bool) {
        let at = at.as_ptr().cast::<libc::c_void>();
        // SAFETY: as above.
        unsafe {
            if locked {
                libc::munlock(at, bytes);
            }
            #[cfg(target_os = "linux")]
            libc::madvise(at, bytes, libc::MADV_DODUMP);
        }
    }
}

#[cfg(not(unix))]
mod pages {
    use std::ptr::NonNull;

    pub fn bytes() -> usize {
        4096
    }

    pub fn lock(_: NonNull<u8>, _: usize) -> bool {
        false
    }

    pub fn release(_: NonNull<u8>, _: usize, _: bool) {}
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Random bytes from the system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    fill(&mut bytes)?;
    Ok(bytes)
}

fn fill(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|error| {
        Error::new(ErrorCode::MissingDependency, format!("The system gives no random numbers: {error}"))
            .with_hint("Nothing was encrypted. Restart the machine, then try again.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_differ_and_do_not_show() {
        let (a, b) = (Secret::random().unwrap(), Secret::random().unwrap());
        assert_ne!(a.reveal(), b.reveal());
        assert_eq!(format!("{a:?} {:#?}", Some(&b)), "*** Some(\n    ***,\n)");
        assert_eq!(Secret::copied(a.reveal()).unwrap().reveal(), a.reveal());
        assert!(Secret::copied(&[0; 31]).is_none());
        assert_eq!(a.clone().reveal(), a.reveal());
    }

    /// Memory that the system has locked for this process, to within a page.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_secret_is_kept_from_swap_while_it_lives() {
        let page_of = |secret: &Secret| {
            let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
            let at = secret.reveal().as_ptr() as usize;
            let mut inside = false;
            for line in smaps.lines() {
                let range = line.split_once(' ').and_then(|(range, _)| range.split_once('-'));
                let range = range.and_then(|(from, to)| {
                    Some(usize::from_str_radix(from, 16).ok()?..usize::from_str_radix(to, 16).ok()?)
                });
                match range {
                    Some(range) => inside = range.contains(&at),
                    None if inside && line.starts_with("VmFlags:") => return line.to_owned(),
                    None => {}
                }
            }
            String::new()
        };
        let secret = Secret::random().unwrap();
        // A system may allow no memory to be locked at all; then the secret must report it.
        let flags = page_of(&secret);
        assert_eq!(flags.contains(" lo"), secret.is_kept_from_swap(), "{flags}");
        assert!(flags.contains(" dd"), "{flags}");
    }
}
