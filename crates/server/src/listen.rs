//! TCP and unix sockets to listen on.

use std::{
    fs, io,
    net::SocketAddr,
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    net::{TcpListener, UnixListener, UnixSocket, UnixStream},
    time::{Sleep, sleep},
};
use tokio_stream::Stream;

use crate::ServerError;

/// Where to listen: `host:port` (port 0 takes a free one) or `unix:///path`.
pub use cuzk_proto::Address as ListenAddr;

/// Only the user that the daemon runs as may connect.
const SOCKET_MODE: u32 = 0o600;

/// Connections that the kernel holds while none is accepted.
const BACKLOG: u32 = 1024;

/// How long to hold still after a failed accept: the usual cause, no file descriptor left, lasts a while.
const PAUSE: Duration = Duration::from_millis(100);

/// A bound listener.
pub(crate) enum Listener {
    /// TCP, at the address that the system gave.
    Tcp(TcpListener, SocketAddr),
    /// A unix socket and its file.
    Unix(UnixListener, SocketFile),
}

impl Listener {
    /// Binds. Nothing is accepted yet, but clients may connect from here on.
    pub(crate) async fn bind(address: &ListenAddr) -> Result<Self, ServerError> {
        let failed = |source| ServerError::Listen { address: address.clone(), source };
        match address {
            ListenAddr::Tcp(authority) => {
                let listener = TcpListener::bind(authority.as_str()).await.map_err(failed)?;
                let bound = listener.local_addr().map_err(failed)?;
                if !bound.ip().is_loopback() {
                    tracing::warn!(address = %bound, "listening without authentication beyond this machine");
                }
                Ok(Self::Tcp(listener, bound))
            }
            ListenAddr::Unix(path) => {
                clear_stale(path).await?;
                let (listener, file) = bind_socket(path).map_err(failed)?;
                Ok(Self::Unix(listener, file))
            }
        }
    }

    /// The address that clients connect to.
    pub(crate) fn address(&self) -> ListenAddr {
        match self {
            Self::Tcp(_, bound) => ListenAddr::Tcp(bound.to_string()),
            Self::Unix(_, file) => ListenAddr::Unix(file.path.clone()),
        }
    }
}

/// Removes the socket file of a process that is gone. A live one, or a file that is no socket, is an error.
async fn clear_stale(path: &Path) -> Result<(), ServerError> {
    let failed = |source| ServerError::Listen { address: ListenAddr::Unix(path.to_owned()), source };
    match UnixStream::connect(path).await {
        Ok(_) => Err(ServerError::InUse { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // Also what a connect to an ordinary file says, hence the look at its type.
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            if fs::symlink_metadata(path).map_err(failed)?.file_type().is_socket() {
                tracing::info!(path = %path.display(), "replacing the socket of a process that is gone");
                fs::remove_file(path).map_err(failed)
            } else {
                Err(ServerError::NotASocket { path: path.to_owned() })
            }
        }
        Err(error) => Err(failed(error)),
    }
}

/// Binds, narrows the permissions, and only then listens: nobody can connect in between.
fn bind_socket(path: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let socket = UnixSocket::new_stream()?;
    socket.bind(path)?;
    let file = SocketFile::of(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(SOCKET_MODE))?;
    Ok((socket.listen(BACKLOG)?, file))
}

/// The file of a unix socket, removed on drop.
pub(crate) struct SocketFile {
    path: PathBuf,
    device: u64,
    inode: u64,
}

impl SocketFile {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = fs::symlink_metadata(path)?;
        Ok(Self { path: path.to_owned(), device: metadata.dev(), inode: metadata.ino() })
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        // A successor may have put its own socket there in the meantime.
        let ours = fs::symlink_metadata(&self.path)
            .is_ok_and(|metadata| metadata.dev() == self.device && metadata.ino() == self.inode);
        if ours && let Err(error) = fs::remove_file(&self.path) {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove the socket");
        }
    }
}

/// Accepted connections, with a pause after every failure so that a lack of file descriptors does not become a busy
/// loop.
pub(crate) struct Paced<S> {
    incoming: S,
    pause: Option<Pin<Box<Sleep>>>,
}

impl<S> Paced<S> {
    /// Paces `incoming`.
    pub(crate) fn new(incoming: S) -> Self {
        Self { incoming, pause: None }
    }
}

impl<T, S: Stream<Item = io::Result<T>> + Unpin> Stream for Paced<S> {
    type Item = io::Result<T>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        let item = ready!(Pin::new(&mut self.incoming).poll_next(context));
        if let Some(Err(error)) = &item {
            tracing::warn!(%error, "cannot accept a connection");
            self.pause = Some(Box::pin(sleep(PAUSE)));
        }
        Poll::Ready(item)
    }
}

#[cfg(test)]
mod tests {
    use std::{collections::VecDeque, io, time::Instant};

    use tokio_stream::StreamExt;

    use super::*;

    fn unix(dir: &tempfile::TempDir) -> (ListenAddr, PathBuf) {
        let path = dir.path().join("cuzk.sock");
        (ListenAddr::Unix(path.clone()), path)
    }

    #[tokio::test]
    async fn a_socket_is_private_and_goes_with_its_listener() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (address, path) = unix(&dir);
        let listener = Listener::bind(&address).await.expect("the path is free");
        assert_eq!(fs::metadata(&path).expect("it exists").permissions().mode() & 0o777, 0o600);
        assert_eq!(listener.address(), address);
        drop(listener);
        assert!(!path.exists());
    }

    #[tokio::test]
    async fn a_live_socket_is_left_alone() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (address, path) = unix(&dir);
        let _first = Listener::bind(&address).await.expect("the path is free");
        let error = Listener::bind(&address).await.err().expect("somebody listens there");
        assert!(matches!(&error, ServerError::InUse { path: named } if *named == path), "{error}");
        UnixStream::connect(&path).await.expect("the first still listens");
    }

    #[tokio::test]
    async fn a_stale_socket_is_replaced() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (address, path) = unix(&dir);
        // A listener of the standard library leaves its file behind, as a process that was killed does.
        drop(std::os::unix::net::UnixListener::bind(&path).expect("the path is free"));
        assert!(path.exists());
        let _listener = Listener::bind(&address).await.expect("nobody listens there any more");
        UnixStream::connect(&path).await.expect("somebody listens again");
    }

    #[tokio::test]
    async fn a_file_is_never_removed() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (address, path) = unix(&dir);
        fs::write(&path, "precious").expect("a writable directory");
        let error = Listener::bind(&address).await.err().expect("a file is in the way");
        assert!(matches!(error, ServerError::NotASocket { .. }), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("it is still there"), "precious");
    }

    #[tokio::test]
    async fn the_socket_of_a_successor_stays() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let dir = tempfile::tempdir().expect("a temporary directory");
        let (address, path) = unix(&dir);
        let first = Listener::bind(&address).await.expect("the path is free");
        // Moved, not removed, so that the successor cannot be given the same inode.
        fs::rename(&path, dir.path().join("old.sock")).expect("same directory");
        let _second = Listener::bind(&address).await.expect("the path is free again");
        drop(first);
        assert!(path.exists());
    }

    #[tokio::test]
    async fn a_taken_port_is_named() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let first = Listener::bind(&"127.0.0.1:0".parse().expect("an address")).await.expect("a free port");
        let taken = first.address();
        let error = Listener::bind(&taken).await.err().expect("the port is taken");
        assert!(error.to_string().contains(&taken.to_string()), "{error}");
    }

    #[tokio::test]
    async fn a_failed_accept_is_followed_by_a_pause() {
        let _limit = cuzk_testing::TimeLimit::seconds(20);
        let accepted = VecDeque::from([Ok(1), Err(io::Error::from_raw_os_error(24)), Ok(2)]);
        let mut paced = Paced::new(tokio_stream::iter(accepted));
        let start = Instant::now();
        assert_eq!(paced.next().await.expect("three items").expect("accepted"), 1);
        assert!(paced.next().await.expect("three items").is_err());
        assert_eq!(paced.next().await.expect("three items").expect("accepted"), 2);
        assert!(start.elapsed() >= PAUSE);
    }
}
