//! What an evaluation says.

use serde::Serialize;

use super::significance::{Bootstrap, mean, randomisation_test};

#[derive(Debug, Clone, Serialize)]
pub struct EvalReport {
    pub directory: String,
    pub documents: u64,
    pub chunks: u64,
    /// Queries with something relevant; the others are not asked.
    pub queries: usize,
    /// The stages, the default fusion, the whole pipeline, then what else was asked for.
    pub systems: Vec<SystemResult>,
    pub comparison: Option<Comparison>,
    /// Of the whole pipeline, from query text to passages, with models and indexes loaded.
    pub latency: Latency,
    /// In which way the evaluation was less than it could be; empty when all is well.
    pub notices: Vec<String>,
}

/// One way of ranking, measured.
#[derive(Debug, Clone, Serialize)]
pub struct SystemResult {
    pub system: String,
    pub measures: Vec<Measured>,
}

/// A mean over queries and its 95 % bootstrap interval.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    pub measure: &'static str,
    pub mean: f64,
    pub low: f64,
    pub high: f64,
}

/// `b` against `a`.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    pub a: String,
    pub b: String,
    pub differences: Vec<Difference>,
}

/// The mean of b − a over queries, its 95 % bootstrap interval, and the p-value of a two-sided paired randomisation test.
#[derive(Debug, Clone, Serialize)]
pub struct Difference {
    pub measure: &'static str,
    pub a: f64,
    pub b: f64,
    pub difference: f64,
    pub low: f64,
    pub high: f64,
    pub p_value: f64,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct Latency {
    pub p50_ms: f64,
    pub p99_ms: f64,
}

/// A ranking's name and the measures of each query.
pub(super) type Values = (String, Vec<Vec<f64>>);

impl Latency {
    /// Nearest ranks.
    pub(super) fn of(mut times: Vec<f64>) -> Self {
        times.sort_by(f64::total_cmp);
        let rank = |share: f64| (share * times.len() as f64).ceil() as usize;
        let at = |share: f64| times.get(rank(share).saturating_sub(1)).copied().unwrap_or(0.0);
        Self { p50_ms: at(0.5), p99_ms: at(0.99) }
    }
}

impl EvalReport {
    /// Adds what was measured. With `compare`, the last two are compared, and are in the list of systems themselves. A ranking whose
    /// source did not answer has no values and is left out: a notice tells why.
    pub(super) fn fill(&mut self, measures: &[&'static str], values: Vec<Values>, compare: bool) {
        let bootstrap = Bootstrap::new(self.queries);
        let column = |rows: &[Vec<f64>], at: usize| -> Vec<f64> { rows.iter().map(|row| row[at]).collect() };
        let complete = |rows: &[Vec<f64>]| rows.len() == self.queries;
        if compare
            && let [.., (a, of_a), (b, of_b)] = &values[..]
            && complete(of_a)
            && complete(of_b)
        {
            let differ = |(at, &measure): (usize, &&'static str)| {
                let (a, b) = (column(of_a, at), column(of_b, at));
                let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
                let (low, high) = bootstrap.interval(&differences);
                let p_value = randomisation_test(&differences);
                Difference { measure, a: mean(&a), b: mean(&b), difference: mean(&differences), low, high, p_value }
            };
            let differences = measures.iter().enumerate().map(differ).collect();
            self.comparison = Some(Comparison { a: a.clone(), b: b.clone(), differences });
        }
        for (system, rows) in values.into_iter().filter(|(_, rows)| complete(rows)) {
            let measure = |(at, &measure): (usize, &&'static str)| {
                let values = column(&rows, at);
                let (low, high) = bootstrap.interval(&values);
                Measured { measure, mean: mean(&values), low, high }
            };
            let measures = measures.iter().enumerate().map(measure).collect();
            self.systems.push(SystemResult { system, measures });
        }
    }
}
