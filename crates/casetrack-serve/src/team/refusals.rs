//! Refused logins and calls in the audit log: a bounded number of lines each minute, so that no one can push out other lines.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use casetrack_core::Timestamp;
use serde::Serialize;

use casetrack_mcp::AuditLog;

const MINUTE: Duration = Duration::from_secs(60);
/// Most lines in a minute. The next line counts those left out.
const MOST: u32 = 60;

/// Most failed logins in browsers from one address in a minute.
const MOST_LOGINS: u32 = 10;
/// Addresses whose logins are counted.
const MOST_ADDRESSES: usize = 4096;

#[derive(Serialize)]
struct Line<'a> {
    time: Timestamp,
    event: &'static str,
    reason: &'a str,
    /// The user, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<IpAddr>,
    /// Refusals before it that have no line.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Default)]
struct LineCount {
    since: Option<Instant>,
    lines: u32,
    left_out: u64,
}

/// Failed logins of an address in the present minute.
struct LoginAttempts {
    since: Instant,
    logins: u32,
}

pub(crate) struct Refusals {
    log: Option<Arc<AuditLog>>,
    counted: Mutex<LineCount>,
    tried: Mutex<HashMap<IpAddr, LoginAttempts>>,
}

/// The network of an address: the owner of an IPv6 address has all with its prefix.
fn place(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) if address.to_ipv4_mapped().is_none() => {
            Ipv6Addr::from(u128::from(address) >> 64 << 64).into()
        }
        other => other.to_canonical(),
    }
}

impl Refusals {
    /// Records nothing without a log.
    pub fn new(log: Option<Arc<AuditLog>>) -> Self {
        Self { log, counted: Mutex::default(), tried: Mutex::default() }
    }

    pub fn record(&self, reason: &str, user: Option<&str>, address: Option<IpAddr>) {
        if let (Some(log), Some(left_out)) = (&self.log, self.count(Instant::now())) {
            log.record(&Line { time: Timestamp::now(), event: "refused", reason, user, address, left_out });
        }
    }

    /// Admits a login from an address, or returns the seconds until the next one, after too many failures.
    pub fn try_login(&self, address: IpAddr) -> Result<(), u64> {
        self.try_login_at(address, Instant::now())
    }

    fn try_login_at(&self, address: IpAddr, now: Instant) -> Result<(), u64> {
        let mut tried = self.tried.lock().unwrap_or_else(PoisonError::into_inner);
        let place = place(address);
        tried.retain(|_, tried| now.saturating_duration_since(tried.since) < MINUTE);
        if tried.len() >= MOST_ADDRESSES
            && !tried.contains_key(&place)
            && let Some(oldest) = tried.iter().min_by_key(|(_, tried)| tried.since).map(|(address, _)| *address)
        {
            tried.remove(&oldest);
        }
        let of = tried.entry(place).or_insert(LoginAttempts { since: now, logins: 0 });
        if of.logins == MOST_LOGINS {
            return Err((MINUTE - now.saturating_duration_since(of.since)).as_secs() + 1);
        }
        of.logins += 1;
        Ok(())
    }

    /// Forgets the failures of an address after a successful login.
    pub fn logged_in(&self, address: IpAddr) {
        self.tried.lock().unwrap_or_else(PoisonError::into_inner).remove(&place(address));
    }

    /// The number of refusals left out before this one; `None` if this one is left out as well.
    fn count(&self, now: Instant) -> Option<u64> {
        let mut counted = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        if counted.since.is_none_or(|since| now.duration_since(since) >= MINUTE) {
            counted.since = Some(now);
            counted.lines = 0;
        }
        if counted.lines == MOST {
            counted.left_out += 1;
            return None;
        }
        counted.lines += 1;
        Some(std::mem::take(&mut counted.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_bounded_and_the_rest_is_counted() {
        let (refusals, now) = (Refusals::new(None), Instant::now());
        assert!((0..MOST).all(|_| refusals.count(now) == Some(0)));
        assert!((0..7).all(|_| refusals.count(now + MINUTE / 2).is_none()));
        assert_eq!(refusals.count(now + MINUTE), Some(7));
        assert_eq!(refusals.count(now + MINUTE), Some(0));
    }

    #[test]
    fn logins_that_fail_are_bounded_by_address() {
        let (refusals, now) = (Refusals::new(None), Instant::now());
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let login = |from: &str, at: Instant| refusals.try_login_at(address(from), at);
        assert!((0..MOST_LOGINS).all(|_| login("192.0.2.1", now).is_ok()));
        assert_eq!(login("192.0.2.1", now), Err(61));
        assert_eq!(login("::ffff:192.0.2.1", now + MINUTE / 2), Err(31));
        login("192.0.2.2", now).unwrap();
        assert!((0..MOST_LOGINS).all(|host| login(&format!("2001:db8::{host}"), now).is_ok()));
        assert!(login("2001:db8::ffff", now).is_err());
        login("2001:db8:0:1::1", now).unwrap();
        refusals.logged_in(address("2001:db8::1"));
        login("2001:db8::ffff", now).unwrap();
        login("192.0.2.1", now + MINUTE).unwrap();
        // However many addresses there are.
        (0..2 * MOST_ADDRESSES as u32)
            .for_each(|host| login(&IpAddr::from(host.to_be_bytes()).to_string(), now).unwrap());
        assert!(refusals.tried.lock().unwrap().len() <= MOST_ADDRESSES);
    }
}
