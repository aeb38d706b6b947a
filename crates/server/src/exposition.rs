//! Prometheus' text exposition format 0.0.4.

use std::fmt::{Display, Write};

/// What a family of samples is.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Goes up only.
    Counter,
    /// Goes up and down.
    Gauge,
    /// A sum and a count; its samples end in `_sum` and `_count`.
    Summary,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Summary => "summary",
        }
    }
}

/// A page of metrics, family by family.
#[derive(Default)]
pub(crate) struct Page {
    text: String,
}

impl Page {
    /// Opens a family; its samples follow.
    pub(crate) fn family(&mut self, name: &'static str, kind: Kind, help: &'static str) -> Family<'_> {
        self.line(format_args!("# HELP {name} {help}"));
        self.line(format_args!("# TYPE {name} {}", kind.name()));
        Family { page: self, name }
    }

    /// The text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    fn line(&mut self, line: impl Display) {
        // Writing into a string does not fail.
        let _ = writeln!(self.text, "{line}");
    }
}

/// The samples of one name.
pub(crate) struct Family<'a> {
    page: &'a mut Page,
    name: &'static str,
}

impl Family<'_> {
    /// One sample.
    pub(crate) fn sample(&mut self, labels: &[(&str, &dyn Display)], value: impl Display) {
        self.suffixed("", labels, value);
    }

    /// One sample of a summary.
    pub(crate) fn summary(&mut self, labels: &[(&str, &dyn Display)], sum: impl Display, count: impl Display) {
        self.suffixed("_sum", labels, sum);
        self.suffixed("_count", labels, count);
    }

    fn suffixed(&mut self, suffix: &str, labels: &[(&str, &dyn Display)], value: impl Display) {
        let labels: Vec<String> =
            labels.iter().map(|(name, value)| format!("{name}=\"{}\"", escaped(&value.to_string()))).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let name = self.name;
        self.page.line(format_args!("{name}{suffix}{labels} {value}"));
    }
}

/// A label's value with what the format reserves written out.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::{Kind, Page};

    #[test]
    fn families_samples_and_labels() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let mut page = Page::default();
        page.family("cuzk_things", Kind::Gauge, "Things.").sample(&[], 3);
        let mut family = page.family("cuzk_time_seconds", Kind::Summary, "Time.");
        family.summary(&[("stage", &"a \"b\"\\\n"), ("n", &1)], 0.5, 2);
        assert_eq!(
            page.into_text(),
            "# HELP cuzk_things Things.\n\
             # TYPE cuzk_things gauge\n\
             cuzk_things 3\n\
             # HELP cuzk_time_seconds Time.\n\
             # TYPE cuzk_time_seconds summary\n\
             cuzk_time_seconds_sum{stage=\"a \\\"b\\\"\\\\\\n\",n=\"1\"} 0.5\n\
             cuzk_time_seconds_count{stage=\"a \\\"b\\\"\\\\\\n\",n=\"1\"} 2\n"
        );
    }
}
