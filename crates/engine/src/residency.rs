//! Which proving keys are in memory, and who uses them.
//!
//! A key is loaded by the first partition that needs it and stays until it is evicted. Threads that need a key while it
//! is being loaded wait for that load, and share its failure. Partitions in flight pin their key; waiting jobs do not.

use std::{
    collections::BTreeMap,
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use cuzk_filecoin::CircuitId;
use tracing::info;

use crate::{KeyError, KeyStatus, Tier, work::panic_message};

/// What is loaded: in the engine a proving key with its circuit.
pub(crate) trait Resident: Send + Sync {
    /// Host memory that it takes.
    fn bytes(&self) -> u64;
}

/// What [`Engine::preload`](crate::Engine::preload) found or did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Preloaded {
    /// The key was in memory before the call.
    pub already_loaded: bool,
    /// How long the call took.
    pub load_time: Duration,
}

/// What [`Engine::evict`](crate::Engine::evict) found and did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evicted {
    /// The key was in memory.
    pub was_loaded: bool,
    /// Host memory of the key and its circuit that was given back. 0 with `was_loaded`: partitions in flight use the key, so
    /// it stays.
    pub freed_bytes: u64,
}

/// The keys in memory. Loading one is left to the function that it is made with.
pub(crate) struct Residency<K> {
    load: Box<dyn Fn(CircuitId) -> Result<K, KeyError> + Send + Sync>,
    slots: Mutex<BTreeMap<CircuitId, Slot<K>>>,
}

enum Slot<K> {
    /// Some thread loads it; the others wait here for how that ends.
    Loading(Arc<Attempt<K>>),
    Loaded {
        key: Arc<K>,
        /// Partitions in flight that use it.
        pins: u32,
    },
}

struct Attempt<K> {
    result: Mutex<Option<Result<Arc<K>, KeyError>>>,
    ended: Condvar,
}

/// A key in use: it is not evicted before this is dropped.
pub(crate) struct Pin<K: Resident> {
    key: Arc<K>,
    circuit: CircuitId,
    residency: Arc<Residency<K>>,
}

impl<K: Resident> Residency<K> {
    /// Nothing loaded yet.
    pub(crate) fn new(load: impl Fn(CircuitId) -> Result<K, KeyError> + Send + Sync + 'static) -> Self {
        Self { load: Box::new(load), slots: Mutex::new(BTreeMap::new()) }
    }

    /// Pins a key, loading it if it is not there. Blocks for as long as that takes.
    pub(crate) fn pin(self: &Arc<Self>, circuit: CircuitId) -> Result<Pin<K>, KeyError> {
        loop {
            let key = self.ensure(circuit)?.0;
            let mut slots = self.lock();
            // Between the load and this moment it may have been evicted again: then once more.
            if let Some(Slot::Loaded { key: resident, pins }) = slots.get_mut(&circuit)
                && Arc::ptr_eq(resident, &key)
            {
                *pins += 1;
                drop(slots);
                return Ok(Pin { key, circuit, residency: self.clone() });
            }
        }
    }

    /// Loads a key if it is not there.
    pub(crate) fn preload(&self, circuit: CircuitId) -> Result<Preloaded, KeyError> {
        let begun = Instant::now();
        let (_, already_loaded) = self.ensure(circuit)?;
        Ok(Preloaded { already_loaded, load_time: begun.elapsed() })
    }

    /// Lets go of a key that no partition in flight uses.
    pub(crate) fn evict(&self, circuit: CircuitId) -> Evicted {
        let mut slots = self.lock();
        let (was_loaded, free) = match slots.get(&circuit) {
            Some(Slot::Loaded { pins, .. }) => (true, *pins == 0),
            Some(Slot::Loading(_)) | None => (false, false),
        };
        let evicted = if free { slots.remove(&circuit) } else { None };
        drop(slots);
        let freed_bytes = match &evicted {
            Some(Slot::Loaded { key, .. }) => key.bytes(),
            _ => 0,
        };
        drop(evicted);
        if free {
            info!(target: "cuzk::engine", %circuit, freed_bytes, "key evicted");
        }
        Evicted { was_loaded, freed_bytes }
    }

    /// Whether a key is in memory or on its way there.
    pub(crate) fn knows(&self, circuit: CircuitId) -> bool {
        self.lock().contains_key(&circuit)
    }

    /// A line for every key in memory or on its way there, in order.
    pub(crate) fn status(&self) -> Vec<KeyStatus> {
        let slots = self.lock();
        let line = |(circuit, slot): (&CircuitId, &Slot<K>)| match slot {
            Slot::Loading(_) => KeyStatus { circuit: *circuit, tier: Tier::Cold, bytes: 0, ref_count: 0 },
            Slot::Loaded { key, pins } => {
                KeyStatus { circuit: *circuit, tier: Tier::Hot, bytes: key.bytes(), ref_count: *pins }
            }
        };
        slots.iter().map(line).collect()
    }

    /// The key, and whether it was there already.
    fn ensure(&self, circuit: CircuitId) -> Result<(Arc<K>, bool), KeyError> {
        let attempt = {
            let mut slots = self.lock();
            match slots.get(&circuit) {
                Some(Slot::Loaded { key, .. }) => return Ok((key.clone(), true)),
                Some(Slot::Loading(attempt)) => {
                    let attempt = attempt.clone();
                    drop(slots);
                    return Ok((attempt.wait()?, false));
                }
                None => {
                    let attempt = Arc::new(Attempt { result: Mutex::new(None), ended: Condvar::new() });
                    slots.insert(circuit, Slot::Loading(attempt.clone()));
                    attempt
                }
            }
        };
        let result = self.load(circuit);
        let mut slots = self.lock();
        match &result {
            Ok(key) => slots.insert(circuit, Slot::Loaded { key: key.clone(), pins: 0 }),
            Err(_) => slots.remove(&circuit),
        };
        drop(slots);
        attempt.end(result.clone());
        Ok((result?, false))
    }

    fn load(&self, circuit: CircuitId) -> Result<Arc<K>, KeyError> {
        let begun = Instant::now();
        // A panic must not leave the others waiting for this load.
        let loaded = catch_unwind(AssertUnwindSafe(|| (self.load)(circuit)))
            .unwrap_or_else(|panic| Err(KeyError::Panicked { circuit, message: panic_message(&*panic).to_owned() }))?;
        let bytes = loaded.bytes();
        info!(target: "cuzk::engine", %circuit, bytes, elapsed_ms = begun.elapsed().as_millis() as u64, "key loaded");
        Ok(Arc::new(loaded))
    }

    fn unpin(&self, circuit: CircuitId) {
        if let Some(Slot::Loaded { pins, .. }) = self.lock().get_mut(&circuit) {
            *pins -= 1;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<CircuitId, Slot<K>>> {
        // Only map operations run under the lock.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K> Attempt<K> {
    fn wait(&self) -> Result<Arc<K>, KeyError> {
        let mut result = self.lock();
        loop {
            if let Some(result) = &*result {
                return result.clone();
            }
            result = self.ended.wait(result).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self, result: Result<Arc<K>, KeyError>) {
        *self.lock() = Some(result);
        self.ended.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Option<Result<Arc<K>, KeyError>>> {
        self.result.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Resident> Pin<K> {
    /// The key.
    pub(crate) fn key(&self) -> &Arc<K> {
        &self.key
    }
}

impl<K: Resident> Drop for Pin<K> {
    fn drop(&mut self) {
        self.residency.unpin(self.circuit);
    }
}

impl<K: Resident> fmt::Debug for Pin<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pin").field("circuit", &self.circuit).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
