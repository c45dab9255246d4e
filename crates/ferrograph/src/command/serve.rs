//! `inspect --serve`: one page for a browser on this machine.

use crate::error::{Error, Result};
use ferrograph_ops::check_interrupt;
use ferrograph_tensor::err;
use std::io::{self, ErrorKind as Io, Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// How long the server waits between looks for a browser, and for the request to stop.
const PAUSE: Duration = Duration::from_millis(20);

/// How long a browser may take to send a request or to read the answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The longest request that is read.
const MOST_BYTES: usize = 16 << 10;

/// The status line of an answer.
const OK: &str = "200 OK";

/// Serves the page to browsers of this machine until the user stops it, and says where.
///
/// # Errors
/// `Cancelled` where the user stopped it; `Unknown` where no port can be had.
pub(super) fn serve(page: String, port: u16, out: &mut dyn Write) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).and_then(|listener| {
        listener.set_nonblocking(true)?;
        Ok(listener)
    });
    let failed = |e: io::Error| -> Error {
        err!(Unknown, "port {port} of 127.0.0.1 can't be served: {e}").into()
    };
    let listener = listener.map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    let said = writeln!(out, "http://127.0.0.1:{port}/ (Ctrl-C ends it)");
    said.and_then(|()| out.flush()).map_err(failed)?;
    let page: Arc<str> = page.into();
    loop {
        check_interrupt()?;
        match listener.accept() {
            Ok((browser, _)) => {
                let page = page.clone();
                // On a thread, since browsers open connections ahead and send nothing. One that goes away fails alone.
                thread::spawn(move || answer(browser, &page, port));
            }
            Err(e) if matches!(e.kind(), Io::WouldBlock | Io::Interrupted) => thread::sleep(PAUSE),
            Err(e) => return Err(failed(e)),
        }
    }
}

/// Reads one request and answers it.
fn answer(mut browser: TcpStream, page: &str, port: u16) -> io::Result<()> {
    browser.set_nonblocking(false)?;
    browser.set_read_timeout(Some(PATIENCE))?;
    browser.set_write_timeout(Some(PATIENCE))?;
    let request = head(&mut browser)?;
    let (status, body) = answered(&request, page, port);
    let kind = if status == OK {
        "text/html"
    } else {
        "text/plain"
    };
    write!(
        browser,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n\
         Cross-Origin-Resource-Policy: same-origin\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    if !request.starts_with("HEAD ") {
        browser.write_all(body.as_bytes())?;
    }
    browser.flush()?;
    browser.shutdown(Shutdown::Write)
}

/// The request up to the empty line behind its headers.
fn head(browser: &mut impl Read) -> io::Result<String> {
    let mut read = Vec::new();
    let mut buffer = [0; 1024];
    while !read.windows(4).any(|end| end == b"\r\n\r\n") && read.len() < MOST_BYTES {
        match browser.read(&mut buffer)? {
            0 => break,
            n => read.extend_from_slice(&buffer[..n]),
        }
    }
    Ok(String::from_utf8_lossy(&read).into_owned())
}

/// The status and the body of the answer to a request. Only names of this machine may be asked for, so that no page of
/// another site can read this one under a name of its own that leads here.
fn answered<'a>(request: &str, page: &'a str, port: u16) -> (&'static str, &'a str) {
    let mut lines = request.split("\r\n");
    let first: Vec<&str> = lines.next().unwrap_or_default().split(' ').collect();
    let hosts: Vec<&str> = lines
        .filter_map(|line| line.split_once(':'))
        .filter(|(name, _)| name.eq_ignore_ascii_case("host"))
        .map(|(_, host)| host.trim())
        .collect();
    let own = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    match (&first[..], &hosts[..]) {
        ([_, _, version], [host]) if version.starts_with("HTTP/1.") => {
            if !own.iter().any(|name| name.eq_ignore_ascii_case(host)) {
                return ("421 Misdirected Request", "this host is not served here\n");
            }
            match first[..2] {
                ["GET" | "HEAD", "/"] => (OK, page),
                ["GET" | "HEAD", _] => ("404 Not Found", "there is one page: /\n"),
                _ => ("405 Method Not Allowed", "the page can be read only\n"),
            }
        }
        _ => ("400 Bad Request", "this is no request\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_for_this_machine() {
        let answer = |request: &str| answered(request, "page", 80).0;
        assert_eq!(answer("GET / HTTP/1.1\r\nHost: 127.0.0.1:80\r\n\r\n"), OK);
        assert_eq!(answer("GET / HTTP/1.1\r\nhost: LOCALHOST:80\r\n\r\n"), OK);
        for (request, status) in [
            ("GET / HTTP/1.1\r\nHost: attacker.example:80\r\n\r\n", "421"),
            ("GET / HTTP/1.1\r\nHost: 127.0.0.1:81\r\n\r\n", "421"),
            ("GET / HTTP/1.1\r\n\r\n", "400"),
            (
                "GET / HTTP/1.1\r\nHost: localhost:80\r\nHost: x\r\n\r\n",
                "400",
            ),
            ("GET /x HTTP/1.1\r\nHost: localhost:80\r\n\r\n", "404"),
            ("POST / HTTP/1.1\r\nHost: localhost:80\r\n\r\n", "405"),
            ("", "400"),
        ] {
            assert!(answer(request).starts_with(status), "{request}");
        }
    }

    #[test]
    fn a_request_ends_with_an_empty_line() {
        let mut sent = &b"GET / HTTP/1.1\r\nHost: a\r\n\r\nmore"[..];
        assert!(head(&mut sent).unwrap().starts_with("GET / HTTP/1.1\r\n"));
        let mut long = io::repeat(b'x');
        assert!(head(&mut long).unwrap().len() <= MOST_BYTES + 1024);
    }
}
