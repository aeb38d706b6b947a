//! `cuzk serve`.

use anyhow::Context;
use cuzk_engine::Engine;
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
    let engine = Engine::new(config)?;
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
