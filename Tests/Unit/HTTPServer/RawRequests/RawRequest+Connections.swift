extension RawRequest {
    static let connections: [Self] = [
        .init("two requests at once", line("GET /1 HTTP/1.1") + line("GET /2 HTTP/1.1"), "200 200 open"),
        .init("a body and a request at once", length(" 1", "a") + line("GET /2 HTTP/1.1"), "200 200 open"),
        .init("a refusal and a request at once", line("GET /%00 HTTP/1.1") + line("GET /2 HTTP/1.1"), badTarget),
        .init(
            "three requests, the second malformed",
            line("GET / HTTP/1.1") + field("X : v") + line("GET / HTTP/1.1"),
            "200 400 bad-field closed",
            page: .since1
        ),
        .init("HEAD and a request at once", line("HEAD / HTTP/1.1") + line("GET /2 HTTP/1.1"), "200 200 open"),
        .init("Connection: close", field("Connection: close"), "200 closed"),
        .init("Connection: Close, x", field("Connection: x, Close"), "200 closed"),
        .init("Connection: keep-alive", field("Connection: keep-alive"), "200 open"),
        .init("Connection: upgrade", field("Connection: Upgrade\r\nUpgrade: websocket"), "200 open"),
        .init(
            "an upgrade to HTTP/2",
            field("Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: a"),
            "200 open"
        ),
        .init("HTTP/1.0 with keep-alive", "GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", "200 open"),
        .init("Connection: close, and a request", field("Connection: close") + line("GET /2 HTTP/1.1"), "200 closed"),
        .init(
            "Expect: 100-continue",
            post("Expect: 100-continue\r\nContent-Length: 3", "abc"),
            "200 open",
            differs: .invitation
        ),
        .init(
            "Expect: 100-continue, before the body",
            pieces: [post("Expect: 100-continue\r\nContent-Length: 3", ""), "abc"],
            "100 200 open",
            isInvited: true
        ),
        .init(
            "Expect in capitals",
            pieces: [post("Expect: 100-CONTINUE\r\nContent-Length: 3", ""), "abc"],
            "100 200 open",
            isInvited: true
        ),
        .init("Expect without a body", field("Expect: 100-continue"), "200 open", differs: .invitation),
        .init(
            "Expect with chunks",
            pieces: [post("Expect: 100-continue\r\nTransfer-Encoding: chunked", ""), "0\r\n\r\n"],
            "100 200 closed",
            isInvited: true
        ),
        .init(
            "Expect of a body beyond the limit",
            post("Expect: 100-continue\r\nContent-Length: 1048577", ""),
            "413 content-too-large closed"
        ),
        .init("an unknown Expect", field("Expect: x"), "200 open"),
        .init(
            "Expect of HTTP/1.0",
            "POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
            "200 closed"
        ),
        .init("TE: trailers", field("TE: trailers\r\nConnection: TE"), "200 open"),
    ]

    static let splits: [Self] = [
        .init("a head in three parts", pieces: ["GET / HT", "TP/1.1\r\nHo", "st: a\r\n\r\n"], "200 open"),
        .init("a line end in two parts", pieces: ["GET / HTTP/1.1\r", "\nHost: a\r", "\n\r", "\n"], "200 open"),
        .init("an empty line before, in two parts", pieces: ["\r", "\n", line("GET / HTTP/1.1")], "200 open"),
        .init("each byte alone", pieces: bytes(field("X: v ")), "200 open", echo: "GET / -  v"),
        .init(
            "each byte of a length and a body alone",
            pieces: bytes(length(" 3", "abc")),
            "200 open",
            echo: "POST / - abc "
        ),
        .init(
            "each byte of chunks alone",
            pieces: bytes(chunks("3;x\r\nabc\r\n1\r\nd\r\n0\r\nX: v\r\n\r\n")),
            "200 closed",
            echo: "POST / - abcd ",
            differs: .extension
        ),
        .init("each byte of a folded line alone", pieces: bytes(field("X: a\r\n b")), badField, page: .since1),
        .init("each byte of a bare line feed alone", pieces: bytes(get("X: b\n")), badField, page: .since1),
        .init("each byte of NUL alone", pieces: bytes(field("X: a\0b")), badField, page: .since1),
        .init(
            "each byte of a target with a space alone",
            pieces: bytes(line("GET /a b HTTP/1.1")),
            badTarget,
            page: .since1
        ),
        .init(
            "each byte of two lengths alone",
            pieces: bytes(post("Content-Length: 3\r\nContent-Length: 3", "abc")),
            badFraming,
            page: .newest
        ),
        .init(
            "a bare line feed behind a size, data in another part",
            pieces: [chunks("3\n"), "abc\r\n0\r\n\r\n"],
            badPage,
            differs: .unseen
        ),
        .init(
            "a bare line feed behind data, in another part",
            pieces: [chunks("3\r\nabc"), "\n0\r\n\r\n"],
            badPage,
            differs: .unseen
        ),
        .init(
            "a fold in another part",
            pieces: ["GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n", " b\r\n\r\n"],
            badField,
            page: .since1
        ),
    ]

    /// Requests that never end.
    static let incomplete: [Self] = [
        .init("nothing", "", "closed"),
        .init("a method", "GET", "closed"),
        .init("a request line", "GET / HTTP/1.1\r\n", "closed"),
        .init("a head without its end", "GET / HTTP/1.1\r\nHost: a\r\n", "closed"),
        .init("a body that is too short", length(" 4", "abc"), "closed"),
        .init("chunks without the last", chunks("3\r\nabc\r\n"), "closed"),
        .init("a last chunk without its empty line", chunks("0\r\n"), "closed"),
        .init("a hello of TLS without a line feed", "\u{16}\u{3}\u{1}\0\u{5}\u{1}\0\0\u{1}\u{3}\u{3}", "closed"),
        .init("empty lines and nothing else", "\r\n", "closed"),
        .init("a carriage return and nothing else", "\r", "closed"),
    ]
}
