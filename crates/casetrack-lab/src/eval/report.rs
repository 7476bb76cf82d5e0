//! The report of an evaluation: the product's, with intervals and a comparison.

use std::fmt::Write as _;

use casetrack_engine::eval::{EvalReport, Measurements};
use serde::Serialize;

use super::significance::{Bootstrap, mean, randomisation_test};

#[derive(Debug, Serialize)]
pub struct Report {
    #[serde(flatten)]
    report: EvalReport,
    /// The 95 % bootstrap intervals (low, high) of the means, in the order of `systems` and their measures.
    intervals: Vec<Vec<(f64, f64)>>,
    comparison: Option<Comparison>,
}

/// `b` against `a`.
#[derive(Debug, Serialize)]
struct Comparison {
    a: String,
    b: String,
    differences: Vec<Difference>,
}

/// The mean of b − a over queries, its 95 % bootstrap interval, and the p-value of a two-sided paired randomisation test.
#[derive(Debug, Serialize)]
struct Difference {
    measure: &'static str,
    a: f64,
    b: f64,
    difference: f64,
    low: f64,
    high: f64,
    p_value: f64,
}

impl Report {
    /// Adds intervals to the means, and compares the two rankings that `compared` names. There is no comparison if one of the two needs a
    /// stage that gave no answer: a notice gives the reason.
    pub fn new(
        report: EvalReport,
        measures: &[&'static str],
        measured: &Measurements,
        compared: Option<[&str; 2]>,
    ) -> Self {
        let bootstrap = Bootstrap::new(report.queries);
        let column = |rows: &[Vec<f64>], at: usize| -> Vec<f64> { rows.iter().map(|row| row[at]).collect() };
        let rows = |name: &str| measured.systems.iter().find(|(system, _)| system == name).map(|(_, rows)| rows);
        let comparison = compared.and_then(|[a, b]| {
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
        });
        let of_system =
            |rows: &[Vec<f64>]| (0..measures.len()).map(|at| bootstrap.interval(&column(rows, at))).collect();
        let intervals = measured.systems.iter().map(|(_, rows)| of_system(rows)).collect();
        Self { report, intervals, comparison }
    }

    pub fn describe(&self) -> String {
        let mut out = casetrack_text::eval::report(&self.report, &self.intervals);
        if let Some(Comparison { a, b, differences }) = &self.comparison {
            let _ = write!(out, "\n\n{b} against {a}");
            for Difference { measure, a, b, difference, low, high, p_value } in differences {
                let _ = write!(
                    out,
                    "\n{measure:10}  {b:.4} against {a:.4}: {difference:+.4} [{low:+.4}, {high:+.4}], p = {p_value:.4}"
                );
            }
        }
        out
    }
}
