//! Connections to a server, and transactions over them that survive the loss of one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use casetrack_core::{Error, ErrorCode, Result};
use postgres::types::ToSql;
use postgres::{Client, Notifications, Row, SimpleQueryMessage, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::address::Address;
use crate::error::{Failure, Step, unreachable_server};
use crate::own_changes::OwnChanges;
use crate::route::Routes;
use crate::sql::id;
use crate::tls;

/// The number of tries after the server gave up, or the connection was lost, before anything was changed.
const TRIES: u32 = 5;
/// The time for which the outcome of a transaction is asked for, while the server does not answer or continues with it.
const OUTCOME: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(200);
/// Idle connections that are kept.
const IDLE: usize = 8;
/// A server that has not even refused a connection for so long is not tried again and again.
const SILENCE: Duration = Duration::from_secs(3);
/// Plans are made for each set of parameters: one that fits all would read every row of the smallest collection. A
/// client that hangs does not keep others out for longer than this. The postings that a search fetches of a million
/// chunks are 20 MB; a coordinator writes results larger than `work_mem` into files before it passes them on. Settings
/// that begin with `citus` apply only there: a transaction has one connection to each machine, so that all its
/// statements see one moment there; its settings are set there, too; and machines do statements whose parts have
/// limits, each for its own rows, as none here needs the rows of several routes for that.
const SETTINGS: &str = "SET search_path = casetrack, public; SET plan_cache_mode = force_custom_plan; SET jit = off; SET work_mem = '64MB'; \
                        SET idle_in_transaction_session_timeout = '10min'; SET citus.max_adaptive_executor_pool_size = 1; \
                        SET citus.multi_shard_modify_mode = sequential; SET citus.propagate_set_commands = local; \
                        SET citus.subquery_pushdown = on";

pub(crate) type Params<'p> = &'p [&'p (dyn ToSql + Sync)];

pub(crate) struct Server {
    address: Address,
    tls: MakeRustlsConnect,
    idle: Mutex<Vec<Connection>>,
    pub(crate) own: OwnChanges,
}

/// A connection, with the statements that the server has prepared for it.
pub(crate) struct Connection {
    client: Client,
    statements: HashMap<String, Statement>,
    /// The numbers of the changes that its transaction makes.
    pub(crate) numbers: Vec<i64>,
}

/// The mark that distinguishes a writing transaction from all others. A server that crashed, and a standby that was
/// promoted, reuse the numbers of transactions that they never saw: a number belongs to one history only.
struct Transaction {
    number: String,
    history: String,
}

/// The history of the server: another one once a standby was promoted, or after a crash, which statistics do not
/// survive. If they were reset by themselves, it is another one without need.
const HISTORY: &str =
    "left(pg_walfile_name(pg_current_wal_lsn()), 8) || coalesce((SELECT stats_reset FROM pg_stat_bgwriter)::text, '')";

/// The result of a writing transaction, and the proof that it is there.
enum Outcome {
    Committed,
    RolledBack,
}

impl Server {
    /// Connects to nothing. Errors: files of certificates that the address names and that cannot be read.
    pub fn at(address: Address) -> Result<Self> {
        let tls = tls::connector(address.tls())?;
        Ok(Self { address, tls, idle: Mutex::default(), own: OwnChanges::default() })
    }

    pub fn connect(&self) -> Step<Connection> {
        let since = Instant::now();
        let connected = self.address.config().connect(self.tls.clone());
        let mut client = connected.map_err(|error| match Failure::of_connecting(error) {
            Failure::Lost(error) if since.elapsed() >= SILENCE => Failure::Silent(error),
            failure => failure,
        })?;
        client.batch_execute(SETTINGS)?;
        Ok(Connection { client, statements: HashMap::new(), numbers: Vec::new() })
    }

    fn take(&self) -> Step<Connection> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(connection) if !connection.client.is_closed() => Ok(connection),
            _ => self.connect(),
        }
    }

    /// Keeps a connection for the next one who needs it.
    pub fn give(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE && !connection.client.is_closed() {
            idle.push(connection);
        }
    }

    /// Closes idle connections: if one is lost, others probably are, too.
    fn forget_idle(&self) {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// A connection in a transaction that sees everything as of now and changes nothing.
    pub fn moment(&self) -> Step<Connection> {
        let mut tries = 0;
        loop {
            let begun = self.take().and_then(|mut connection| {
                connection.client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
                Ok(connection)
            });
            match begun {
                // It may have been closed while it was idle.
                Err(Failure::Lost(_)) if tries < TRIES => {
                    self.forget_idle();
                    tries += 1;
                }
                begun => return begun,
            }
        }
    }

    /// The answer to a query, which is repeated if the connection is lost or its view was too old.
    pub fn read<T>(&self, ask: impl Fn(&mut Connection) -> Step<T>) -> Result<T> {
        let mut tries = 0;
        loop {
            let answer = self.moment().and_then(|mut connection| {
                let answer = ask(&mut connection);
                if !matches!(answer, Err(Failure::Lost(_))) && connection.run("ROLLBACK").is_ok() {
                    self.give(connection);
                }
                answer
            });
            match answer {
                Err(Failure::Lost(_) | Failure::Again(_) | Failure::Behind) if tries < TRIES => tries += 1,
                answer => return answer.map_err(Failure::into_error),
            }
        }
    }

    /// Asks outside of a transaction.
    pub fn outside<T>(&self, ask: impl FnOnce(&mut Connection) -> Step<T>) -> Result<T> {
        let asked = self.take().and_then(|mut connection| {
            let answer = ask(&mut connection)?;
            self.give(connection);
            Ok(answer)
        });
        asked.map_err(Failure::into_error)
    }

    /// Makes a change in one transaction, in which no other of the same `lock` is made. If the connection is lost while
    /// it is committed, the server is asked for the outcome; a change that was not made is made again.
    pub fn write<T>(&self, lock: i64, change: impl FnMut(&mut Connection) -> Step<T>) -> Result<T> {
        self.write_with(Some(lock), change)
    }

    /// The same, at the same time as all others.
    pub fn write_beside<T>(&self, change: impl FnMut(&mut Connection) -> Step<T>) -> Result<T> {
        self.write_with(None, change)
    }

    fn write_with<T>(&self, lock: Option<i64>, mut change: impl FnMut(&mut Connection) -> Step<T>) -> Result<T> {
        let mut tries = 0;
        loop {
            tries += 1;
            let attempt = self.attempt(lock, &mut change);
            match attempt {
                Ok(made) => return Ok(made),
                Err(failure @ (Failure::Lost(_) | Failure::Again(_))) if tries < TRIES => {
                    if matches!(failure, Failure::Lost(_)) {
                        self.forget_idle();
                    }
                    std::thread::sleep(PAUSE / 10);
                }
                Err(failure) => return Err(failure.into_error()),
            }
        }
    }

    fn attempt<T>(&self, lock: Option<i64>, change: &mut impl FnMut(&mut Connection) -> Step<T>) -> Step<T> {
        let mut connection = self.take()?;
        // Numbers only, and one round trip.
        let lock = lock.map_or_else(String::new, |lock| format!(", pg_advisory_xact_lock({lock})"));
        let begun = connection.client.simple_query(&format!("BEGIN; SELECT pg_current_xact_id(), {HISTORY}{lock}"))?;
        let transaction = begun.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                Some(Transaction { number: row.get(0)?.to_owned(), history: row.get(1)?.to_owned() })
            }
            _ => None,
        });
        let transaction =
            transaction.ok_or_else(|| Error::internal("PostgreSQL began a transaction without a number."))?;
        let made = match change(&mut connection) {
            Ok(made) => made,
            Err(failure) => {
                // A connection that is lost has ended its transaction by that.
                if connection.client.batch_execute("ROLLBACK").is_ok() {
                    self.give(connection);
                }
                return Err(failure);
            }
        };
        match connection.client.batch_execute("COMMIT").map_err(Failure::from) {
            Ok(()) => {
                self.give(connection);
                Ok(made)
            }
            Err(Failure::Lost(error)) => match self.outcome(&transaction)? {
                Outcome::Committed => Ok(made),
                Outcome::RolledBack => Err(Failure::Lost(error)),
            },
            Err(failure) => Err(failure),
        }
    }

    fn outcome(&self, transaction: &Transaction) -> Result<Outcome> {
        let since = Instant::now();
        let Transaction { number, history } = transaction;
        let sql = format!("SELECT CASE WHEN {HISTORY} = $2 THEN pg_xact_status($1::text::xid8) ELSE 'elsewhere' END");
        loop {
            let asked = self.take().and_then(|mut connection| {
                let row = connection.one(&sql, &[number, history])?;
                self.give(connection);
                Ok(row.try_get::<_, Option<String>>(0)?)
            });
            let failure = match asked {
                Ok(Some(status)) if status == "committed" => return Ok(Outcome::Committed),
                // Whether this server has heard of the transaction is not known. To make it again does no harm.
                Ok(Some(status)) if status == "aborted" || status == "elsewhere" => return Ok(Outcome::RolledBack),
                Ok(None) => return Err(unknown(number, None)),
                // The server has not noticed yet that the connection is gone.
                Ok(Some(_)) => None,
                Err(Failure::Lost(error) | Failure::Silent(error)) => Some(unreachable_server(error)),
                Err(failure) => return Err(unknown(number, Some(failure.into_error()))),
            };
            if since.elapsed() > OUTCOME {
                return Err(unknown(number, failure));
            }
            std::thread::sleep(PAUSE);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let idle = std::mem::take(self.idle.get_mut().unwrap_or_else(PoisonError::into_inner));
        if !idle.is_empty() {
            // A client waits for its end, which a thread of an asynchronous runtime may not.
            drop(std::thread::Builder::new().name("disconnect".into()).spawn(move || drop(idle)));
        }
    }
}

fn unknown(transaction: &str, why: Option<Error>) -> Error {
    let message = format!(
        "The connection to PostgreSQL was lost while transaction {transaction} was committed. Its outcome is unknown."
    );
    let error = Error::new(ErrorCode::Io, message)
        .with_hint("Check whether the change was made. If not, make it again; making it twice does no harm.");
    match why {
        Some(why) => error.with_source(why),
        None => error,
    }
}

/// A connection for callers that handle only errors, and the reason why it did not answer.
pub(crate) struct Session<'t> {
    held: RefCell<SessionConnection<'t>>,
    failure: RefCell<Option<Failure>>,
}

enum SessionConnection<'t> {
    Lent(&'t mut Connection),
    /// In a transaction that ends with this.
    Own(Box<Connection>, &'t Server),
    Ended,
}

impl<'t> Session<'t> {
    pub fn lent(connection: &'t mut Connection) -> Self {
        Self { held: RefCell::new(SessionConnection::Lent(connection)), failure: RefCell::default() }
    }

    /// The state of a collection on the server as of now.
    pub fn now(server: &'t Server, routes: &Routes) -> Step<Self> {
        let mut connection = server.moment()?;
        // The first statement on each machine decides the moment.
        connection.all(
            "SELECT bucket FROM buckets WHERE route = ANY($1) AND collection = $2",
            &[&routes.all, &id(routes.collection())],
        )?;
        Ok(Self {
            held: RefCell::new(SessionConnection::Own(Box::new(connection), server)),
            failure: RefCell::default(),
        })
    }

    pub fn ask<T>(&self, ask: impl FnOnce(&mut Connection) -> Step<T>) -> Result<T> {
        let mut held = self.held.borrow_mut();
        let answer = match &mut *held {
            SessionConnection::Lent(connection) => ask(connection),
            SessionConnection::Own(connection, _) => ask(connection),
            SessionConnection::Ended => Err(Error::internal("The transaction has ended.").into()),
        };
        answer.map_err(|failure| match failure {
            Failure::Final(error) => error,
            Failure::Lost(error) | Failure::Silent(error) => {
                let lost = Error::new(ErrorCode::Io, "The connection to PostgreSQL was lost.");
                *self.failure.borrow_mut() = Some(Failure::Lost(error));
                lost.with_hint("Try again.")
            }
            failure => {
                *self.failure.borrow_mut() = Some(failure);
                Error::internal("The data read from PostgreSQL changed in the meantime.").with_hint("Try again.")
            }
        })
    }

    pub fn answer<T>(&self, made: Result<T>) -> Step<T> {
        made.map_err(|error| self.failure.take().unwrap_or(Failure::Final(error)))
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if let SessionConnection::Own(mut connection, server) = self.held.replace(SessionConnection::Ended)
            && connection.run("COMMIT").is_ok()
        {
            server.give(*connection);
        }
    }
}

impl Connection {
    /// Prepared once for each connection.
    fn statement(&mut self, sql: &str) -> Step<Statement> {
        if let Some(known) = self.statements.get(sql) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.statements.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub fn all(&mut self, sql: &str, params: Params<'_>) -> Step<Vec<Row>> {
        let statement = self.statement(sql)?;
        Ok(self.client.query(&statement, params)?)
    }

    pub fn some(&mut self, sql: &str, params: Params<'_>) -> Step<Option<Row>> {
        let statement = self.statement(sql)?;
        Ok(self.client.query_opt(&statement, params)?)
    }

    pub fn one(&mut self, sql: &str, params: Params<'_>) -> Step<Row> {
        let statement = self.statement(sql)?;
        Ok(self.client.query_one(&statement, params)?)
    }

    /// The number of rows that a statement changed.
    pub fn change(&mut self, sql: &str, params: Params<'_>) -> Step<u64> {
        let statement = self.statement(sql)?;
        Ok(self.client.execute(&statement, params)?)
    }

    /// The messages of others on the channels that it listens to.
    pub fn messages(&mut self) -> Notifications<'_> {
        self.client.notifications()
    }

    pub fn run(&mut self, statements: &str) -> Step<()> {
        Ok(self.client.batch_execute(statements)?)
    }
}
