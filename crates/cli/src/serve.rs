//! `cuzk serve`.

use std::path::Path;

use anyhow::Context;
use cuzk_engine::{Engine, KeyError, KeyOrigin, Readiness};
use cuzk_filecoin::parameters::parameter_dir_from_env;
use cuzk_server::{Server, ServerConfig};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    sync::oneshot,
};

use crate::{args::ServeArgs, local};

/// Serves until SIGINT or SIGTERM, then drains: jobs in flight are finished. A second signal cancels them.
pub(crate) fn run(args: &ServeArgs) -> anyhow::Result<()> {
    let mut config = local::config(&args.engine, parameter_dir_from_env(args.params.params_dir.clone()))?;
    config.max_pending = args.max_pending.get();
    config.allow_development_keys = args.allow_development_keys;
    if config.allow_development_keys {
        tracing::warn!(
            target: "cuzk",
            "DEVELOPMENT KEYS ARE ALLOWED (--allow-development-keys): their toxic waste is public, so proofs made with them \
             are worth nothing on any chain; never run a storage provider like this"
        );
    }
    let params_dir = config.params_dir.clone();
    let engine = Engine::new(config)?;
    report(&engine.readiness(), &params_dir);
    let server = ServerConfig { listen: args.listen.clone(), max_message: args.max_message };
    tokio::runtime::Runtime::new().context("cannot start the I/O runtime")?.block_on(async {
        let mut signals = Signals::new()?;
        let server = Server::bind(engine.clone(), &server).await?;
        for address in server.addresses() {
            tracing::info!(target: "cuzk", %address, "listening");
        }
        let (stop, stopped) = oneshot::channel();
        tokio::spawn(async move {
            signals.next().await;
            // The server is gone only when it has ended already.
            let _ = stop.send(());
            signals.next().await;
            tracing::warn!(target: "cuzk", "second signal: jobs in flight are cancelled");
            tokio::task::spawn_blocking(move || engine.shutdown());
        });
        let stop = async {
            // An error means that nothing listens for signals any more: stop then as well.
            let _ = stopped.await;
        };
        Ok(server.run(stop).await?)
    })
}

/// Logs what can be proved and why not the rest. Every circuit is in exactly one line: files that are there have one
/// each, the many that usually are not share theirs.
fn report(readiness: &[Readiness], params_dir: &Path) {
    let names = |chosen: fn(&Readiness) -> bool| {
        let names =
            readiness.iter().filter(|readiness| chosen(readiness)).map(|readiness| readiness.circuit.to_string());
        names.collect::<Vec<_>>().join(" ")
    };
    for Readiness { circuit, key } in readiness {
        match key {
            Ok(KeyOrigin::Published) => tracing::info!(target: "cuzk", %circuit, "can be proved"),
            Ok(KeyOrigin::NotChecked) => tracing::info!(
                target: "cuzk", %circuit,
                "can be proved; the digest of its parameter file is not checked, `cuzk params check` does that"
            ),
            Ok(KeyOrigin::Development) => tracing::warn!(
                target: "cuzk", %circuit, "can be proved with a DEVELOPMENT KEY: worthless on any chain"
            ),
            Err(KeyError::Missing { .. }) => {}
            Err(reason) => tracing::warn!(target: "cuzk", %circuit, %reason, "cannot be proved"),
        }
    }
    let missing = names(|readiness| matches!(readiness.key, Err(KeyError::Missing { .. })));
    if !missing.is_empty() {
        let params_dir = params_dir.display();
        tracing::info!(
            target: "cuzk", circuits = missing, %params_dir,
            "cannot be proved: no parameter file; `cuzk params status` names them"
        );
    }
    if !readiness.iter().any(|readiness| readiness.key.is_ok()) {
        tracing::warn!(target: "cuzk", params_dir = %params_dir.display(), "nothing can be proved with these parameter files");
    }
}

/// What asks a daemon to end.
struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    fn new() -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self { interrupt: listen(SignalKind::interrupt())?, terminate: listen(SignalKind::terminate())? })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
