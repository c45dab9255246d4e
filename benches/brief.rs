//! How long a bench takes.

/// Half a second of warming up and one and a half of measuring: all benches together take a few minutes.
pub fn brief() -> criterion::Criterion {
    criterion::Criterion::default()
        .warm_up_time(std::time::Duration::from_millis(500))
        .measurement_time(std::time::Duration::from_millis(1500))
}
