//! How the address of a daemon is written.

use std::{fmt, path::PathBuf, str::FromStr};

use crate::ClientError;

/// Where a daemon listens.
///
/// Written as `host:port` or `http://host:port` (TCP), or as `unix:///path` or `unix:path` (a unix socket).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// `host:port`; the host is a name, an IPv4 address or an IPv6 address in brackets.
    Tcp(String),
    /// The path of a unix socket.
    Unix(PathBuf),
}

impl Address {
    /// The form that the transport understands.
    pub(crate) fn uri(&self) -> String {
        match self {
            Self::Tcp(authority) => format!("http://{authority}"),
            Self::Unix(path) => format!("unix://{}", path.display()),
        }
    }
}

impl FromStr for Address {
    type Err = ClientError;

    fn from_str(text: &str) -> Result<Self, ClientError> {
        let wrong = |reason| ClientError::Address { address: text.to_owned(), reason };
        if let Some(path) = text.strip_prefix("unix:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() { Err(wrong("the path is empty")) } else { Ok(Self::Unix(path.into())) };
        }
        let authority = match text.split_once("://") {
            Some(("http", rest)) => rest.strip_suffix('/').unwrap_or(rest),
            Some(_) => return Err(wrong("only http:// and unix:// are understood")),
            None => text,
        };
        let (host, port) = authority.rsplit_once(':').ok_or(wrong("the port is missing"))?;
        if host.is_empty() {
            return Err(wrong("the host is missing"));
        }
        if host.contains(':') && !(host.starts_with('[') && host.ends_with(']')) {
            return Err(wrong("an IPv6 address needs brackets, as in [::1]:9820"));
        }
        if host.contains(['/', '@']) || host.contains(char::is_whitespace) {
            return Err(wrong("the host is not a name or an address"));
        }
        port.parse::<u16>().map_err(|_| wrong("the port is not a number up to 65535"))?;
        Ok(Self::Tcp(authority.to_owned()))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(authority) => f.write_str(authority),
            Self::Unix(path) => write!(f, "unix://{}", path.display()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn every_form_is_understood() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        let tcp = |authority: &str| Address::Tcp(authority.to_owned());
        for (text, expected) in [
            ("127.0.0.1:9820", tcp("127.0.0.1:9820")),
            ("http://localhost:9820/", tcp("localhost:9820")),
            ("[::1]:9820", tcp("[::1]:9820")),
            ("unix:///run/cuzk.sock", Address::Unix("/run/cuzk.sock".into())),
            ("unix:cuzk.sock", Address::Unix("cuzk.sock".into())),
        ] {
            assert_eq!(text.parse::<Address>().expect(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for text in ["127.0.0.1:9820", "unix:///run/cuzk.sock"] {
            assert_eq!(text.parse::<Address>().expect(text).to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let _limit = cuzk_testing::TimeLimit::seconds(10);
        for (text, reason) in [
            ("localhost", "port is missing"),
            (":9820", "host is missing"),
            ("localhost:http", "not a number"),
            ("localhost:99999", "not a number"),
            ("::1:9820", "brackets"),
            ("https://localhost:9820", "only http://"),
            ("unix://", "path is empty"),
            ("http://a/b:1", "not a name"),
        ] {
            let error = text.parse::<Address>().expect_err(text).to_string();
            assert!(error.contains(reason) && error.contains(text), "{text}: {error}");
        }
    }
}
