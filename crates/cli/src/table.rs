//! Plain tables for people.

use cuzk_proto::v1::MemoryStatus;

/// Prints rows with aligned columns: the first to the left, the others to the right.
pub(crate) fn print(header: &[&str], rows: &[Vec<String>]) {
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        cells.chain([header[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: &[String]| {
        let padded = cells.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        println!("  {}", padded.collect::<Vec<_>>().join("  ").trim_end());
    };
    line(&header.iter().map(ToString::to_string).collect::<Vec<_>>());
    rows.iter().for_each(|row| line(row));
}

/// Bytes as a person reads them: three significant digits and a binary unit.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    match (unit, value) {
        (0, _) => format!("{bytes} B"),
        (_, value) if value < 10.0 => format!("{value:.2} {}", UNITS[unit]),
        (_, value) if value < 100.0 => format!("{value:.1} {}", UNITS[unit]),
        (_, value) => format!("{value:.0} {}", UNITS[unit]),
    }
}

/// The ledger, a line a class.
pub(crate) fn print_memory(memory: &MemoryStatus) {
    let mut rows: Vec<Vec<String>> = memory
        .classes
        .iter()
        .map(|class| {
            let counts = [class.count, class.peak_count].map(|count| count.to_string());
            let sizes = [class.bytes, class.peak_bytes, class.bytes_at_total_peak].map(bytes);
            let [count, peak_count] = counts;
            let [now, peak, at_peak] = sizes;
            vec![class.name.clone(), count, now, peak_count, peak, at_peak]
        })
        .collect();
    let dash = || "-".to_owned();
    let (now, peak) = (bytes(memory.total_bytes), bytes(memory.peak_total_bytes));
    rows.push(vec!["all".into(), memory.total_count.to_string(), now, dash(), peak.clone(), peak]);
    print(&["class", "buffers", "bytes", "peak buffers", "peak bytes", "bytes at the peak of all"], &rows);
}

#[cfg(test)]
mod tests {
    use super::bytes;
    use cuzk_testing::TimeLimit;

    #[test]
    fn sizes_have_three_digits_and_a_unit() {
        let _limit = TimeLimit::seconds(5);
        let shown = [0, 1023, 1024, 70_400_000, 47_000_000_000, u64::MAX].map(bytes);
        assert_eq!(shown, ["0 B", "1023 B", "1.00 KiB", "67.1 MiB", "43.8 GiB", "16777216 TiB"]);
    }
}
