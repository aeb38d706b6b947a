//! The books themselves.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::{Level, debug, enabled};

use crate::{Buffer, Class, ClassCount, Entry, Place, RowCount, Scope, Snapshot, Stage, buffer::vec_bytes};

/// The target of the events that report transitions.
const TARGET: &str = "cuzk::memory";

/// The ledger of large buffers of one engine. Clones share the same books.
#[derive(Debug, Clone)]
pub struct Ledger {
    books: Arc<Mutex<Books>>,
}

impl Ledger {
    /// A ledger that shows `classes` from the start. A class that is missing here joins with its first buffer.
    pub fn new(classes: &[&'static Class]) -> Self {
        let mut books = Books::default();
        for class in classes {
            books.class_index(class);
        }
        Self { books: Arc::new(Mutex::new(books)) }
    }

    /// Counts a buffer of `bytes`.
    pub fn enter(
        &self,
        class: &'static Class,
        stage: &'static Stage,
        place: Place,
        bytes: u64,
        scope: &Scope,
    ) -> Entry {
        let entry = Entry { ledger: self.clone(), class, stage, place, bytes, scope: scope.clone() };
        self.record("enter", &entry, None, |books| books.add(&entry));
        entry
    }

    /// Counts a vector on the host and binds it to its entry.
    pub fn buffer<T>(&self, class: &'static Class, stage: &'static Stage, scope: &Scope, data: Vec<T>) -> Buffer<T> {
        let entry = self.enter(class, stage, Place::Host, vec_bytes(&data), scope);
        Buffer::new(data, entry)
    }

    /// All counts at this moment.
    pub fn snapshot(&self) -> Snapshot {
        self.lock().snapshot()
    }

    pub(crate) fn moved(&self, entry: &Entry, from: &'static Stage) {
        self.record("move", entry, Some(from), |books| {
            books.subtract(entry.class, from, entry.place, entry.bytes);
            books.add(entry);
        });
    }

    pub(crate) fn resized(&self, entry: &Entry, from: u64) {
        self.record("resize", entry, None, |books| {
            books.subtract(entry.class, entry.stage, entry.place, from);
            books.add(entry);
        });
    }

    pub(crate) fn left(&self, entry: &Entry) {
        self.record("leave", entry, None, |books| {
            books.subtract(entry.class, entry.stage, entry.place, entry.bytes);
        });
    }

    /// Applies one transition and reports it. The counts in the event are those right after this very transition.
    fn record(
        &self,
        transition: &'static str,
        entry: &Entry,
        from: Option<&'static Stage>,
        apply: impl FnOnce(&mut Books),
    ) {
        let listened = enabled!(target: TARGET, Level::DEBUG);
        let snapshot = {
            let mut books = self.lock();
            apply(&mut books);
            books.sequence += 1;
            listened.then(|| books.snapshot())
        };
        if let Some(snapshot) = snapshot {
            debug!(
                target: TARGET,
                sequence = snapshot.sequence,
                transition,
                class = entry.class.name(),
                from = from.map(Stage::name),
                stage = entry.stage.name(),
                place = %entry.place,
                bytes = entry.bytes,
                job = entry.scope.job.as_deref(),
                partition = entry.scope.partition,
                total_bytes = snapshot.total_bytes,
                in_flight = %snapshot,
            );
        }
    }

    fn lock(&self) -> MutexGuard<'_, Books> {
        // No code of ours can panic while the books are open; if it did, the counts would still be whole numbers.
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The counts. Few classes and stages exist, so lines are found by walking a short vector.
#[derive(Debug, Default)]
struct Books {
    sequence: u64,
    total_bytes: u64,
    peak_bytes: u64,
    peak_composition: Vec<u64>,
    classes: Vec<ClassCount>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    class: &'static Class,
    stage: &'static Stage,
    place: Place,
    count: u64,
    bytes: u64,
}

impl Books {
    fn class_index(&mut self, class: &Class) -> usize {
        if let Some(index) = self.classes.iter().position(|line| line.class == class.name()) {
            return index;
        }
        self.classes.push(ClassCount { class: class.name(), count: 0, bytes: 0, peak_count: 0, peak_bytes: 0 });
        self.peak_composition.push(0);
        self.classes.len() - 1
    }

    fn row(&mut self, class: &'static Class, stage: &'static Stage, place: Place) -> &mut Row {
        let found = self.rows.iter().position(|row| row.class == class && row.stage == stage && row.place == place);
        let index = found.unwrap_or_else(|| {
            self.rows.push(Row { class, stage, place, count: 0, bytes: 0 });
            self.rows.len() - 1
        });
        &mut self.rows[index]
    }

    fn add(&mut self, entry: &Entry) {
        let row = self.row(entry.class, entry.stage, entry.place);
        row.count += 1;
        row.bytes += entry.bytes;
        let index = self.class_index(entry.class);
        let class = &mut self.classes[index];
        class.count += 1;
        class.bytes += entry.bytes;
        class.peak_count = class.peak_count.max(class.count);
        class.peak_bytes = class.peak_bytes.max(class.bytes);
        self.total_bytes += entry.bytes;
        if self.total_bytes > self.peak_bytes {
            self.peak_bytes = self.total_bytes;
            for (peak, class) in self.peak_composition.iter_mut().zip(&self.classes) {
                *peak = class.bytes;
            }
        }
    }

    /// Undoes an earlier `add` of the same line: entries guarantee that there was one.
    fn subtract(&mut self, class: &'static Class, stage: &'static Stage, place: Place, bytes: u64) {
        let row = self.row(class, stage, place);
        row.count -= 1;
        row.bytes -= bytes;
        let index = self.class_index(class);
        self.classes[index].count -= 1;
        self.classes[index].bytes -= bytes;
        self.total_bytes -= bytes;
    }

    fn snapshot(&self) -> Snapshot {
        let rows = self.rows.iter().filter(|row| row.count > 0).map(|row| RowCount {
            class: row.class.name(),
            stage: row.stage.name(),
            place: row.place.to_string(),
            count: row.count,
            bytes: row.bytes,
        });
        Snapshot {
            sequence: self.sequence,
            total_bytes: self.total_bytes,
            peak_bytes: self.peak_bytes,
            classes: self.classes.clone(),
            peak_composition: self.peak_composition.clone(),
            rows: rows.collect(),
        }
    }
}
