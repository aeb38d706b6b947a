//! Engines in this process.

use std::{num::NonZeroUsize, path::PathBuf, sync::Arc, thread};

use cuzk_engine::{Config, WitnessSource};
use cuzk_filecoin::parameters::cache_dir_from_env;
use cuzk_prover::{Backend, CpuBackend};

use crate::args::{BackendKind, EngineArgs};

/// An engine's settings from the command line. The backend is the one that was asked for, or an error.
pub(crate) fn config(args: &EngineArgs, params_dir: PathBuf) -> anyhow::Result<Config> {
    let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let backend: Arc<dyn Backend> = match args.backend {
        BackendKind::Cpu => Arc::new(CpuBackend::new(args.threads.unwrap_or(cores))?),
    };
    let witness = WitnessSource::from(args.witness);
    tracing::info!(target: "cuzk", backend = backend.name(), %witness, params_dir = %params_dir.display(), "engine");
    let mut config = Config::new(params_dir, vec![backend]);
    config.cache_dir = cache_dir_from_env();
    if let Some(workers) = args.workers {
        config.workers = workers.get();
    }
    config.queue_depth = args.queue_depth.map_or(config.workers, NonZeroUsize::get);
    config.permit = args.permit.into();
    config.witness = witness;
    Ok(config)
}
