//! The report of an evaluation.

use casetrack_engine::eval::{Latency, Measurements};
use casetrack_text::Reader;
use serde::Serialize;

use super::significance::{Bootstrap, mean, randomisation_test};

#[derive(Debug, Clone, Serialize)]
pub struct EvalReport {
    pub directory: String,
    pub documents: u64,
    pub chunks: u64,
    /// Queries with something relevant; the others are not asked.
    pub queries: usize,
    /// The stages, the default fusion, the whole search, then what else was asked for.
    pub systems: Vec<SystemResult>,
    pub comparison: Option<Comparison>,
    /// Of the whole search, from query text to passages, with models and indexes loaded.
    pub latency: Latency,
    /// What made the evaluation less complete than it could be; empty if nothing did.
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

impl EvalReport {
    /// Means, intervals and, of the two rankings named in `compared`, the differences. Without a comparison where one of the two needs
    /// a stage that did not answer: a notice says why.
    pub fn new(
        directory: String,
        queries: usize,
        measures: &[&'static str],
        measured: Measurements,
        compared: Option<&[&str]>,
    ) -> Self {
        let bootstrap = Bootstrap::new(queries);
        let column = |rows: &[Vec<f64>], at: usize| -> Vec<f64> { rows.iter().map(|row| row[at]).collect() };
        let rows = |name: &str| measured.systems.iter().find(|(system, _)| system == name).map(|(_, rows)| rows);
        let compare = |a: &str, b: &str| -> Option<Comparison> {
            let (of_a, of_b) = (rows(a)?, rows(b)?);
            let differ = |(at, &measure): (usize, &&'static str)| {
                let (a, b) = (column(of_a, at), column(of_b, at));
                let differences: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
                let (low, high) = bootstrap.interval(&differences);
                let p_value = randomisation_test(&differences);
                Difference { measure, a: mean(&a), b: mean(&b), difference: mean(&differences), low, high, p_value }
            };
            let differences = measures.iter().enumerate().map(differ).collect();
            Some(Comparison { a: a.to_owned(), b: b.to_owned(), differences })
        };
        let comparison = match compared {
            Some(&[a, b]) => compare(a, b),
            _ => None,
        };
        let system = |(system, rows): &(String, Vec<Vec<f64>>)| {
            let measure = |(at, &measure): (usize, &&'static str)| {
                let values = column(rows, at);
                let (low, high) = bootstrap.interval(&values);
                Measured { measure, mean: mean(&values), low, high }
            };
            SystemResult { system: system.clone(), measures: measures.iter().enumerate().map(measure).collect() }
        };
        Self {
            directory,
            documents: measured.documents,
            chunks: measured.chunks,
            queries,
            systems: measured.systems.iter().map(system).collect(),
            comparison,
            latency: measured.latency,
            notices: measured.notices.iter().map(|notice| Reader::CommandLine.hint(notice)).collect(),
        }
    }
}
