extension RawRequest {
    static let requestLines: [Self] = [
        .init("a request", line("GET / HTTP/1.1"), "200 open", echo: "GET / -  "),
        .init("two spaces before the target", line("GET  / HTTP/1.1"), "400 bad-method closed", page: .since1),
        .init("two spaces before the version", line("GET /  HTTP/1.1"), badTarget, page: .since1),
        .init("a space at the end of the request line", line("GET / HTTP/1.1 "), badPage),
        .init("a space before the method", line(" GET / HTTP/1.1"), "closed"),
        .init("a tab before the target", line("GET\t/ HTTP/1.1"), badPage, differs: .unanswered),
        .init("a tab before the version", line("GET /\tHTTP/1.1"), badPage),
        .init("a vertical tab before the version", line("GET /\u{b}HTTP/1.1"), badPage, differs: .unanswered),
        .init("a form feed in the target", line("GET /\u{c}a HTTP/1.1"), badTarget, differs: .unanswered),
        .init("a carriage return in the target", line("GET /\ra HTTP/1.1"), badTarget, page: .since1),
        .init(
            "a carriage return before the method",
            "\r" + line("GET / HTTP/1.1"),
            "400 bad-method closed",
            differs: .unanswered
        ),
        .init("a carriage return behind the version", line("GET / HTTP/1.1\r"), badPage),
        .init("a bare line feed behind the version", "GET / HTTP/1.1\nHost: a\r\n\r\n", badField, page: .since1),
        .init("a bare line feed behind each line", "GET / HTTP/1.1\nHost: a\n\n", badField, page: .since1),
        .init("a line feed in the target", "GET /\na HTTP/1.1\r\nHost: a\r\n\r\n", badPage),
        .init("an empty line before the request", "\r\n" + line("GET / HTTP/1.1"), "200 open"),
        .init(
            "two empty lines before the request",
            "\r\n\r\n" + line("GET / HTTP/1.1"),
            "200 open",
            differs: .emptyLines
        ),
        .init(
            "three empty lines before the request",
            "\r\n\r\n\r\n" + line("GET / HTTP/1.1"),
            "200 open",
            differs: .emptyLines
        ),
        .init("a bare line feed before the request", "\n" + line("GET / HTTP/1.1"), "200 open", differs: .emptyLines),
        .init(
            "an empty line between two requests",
            line("GET / HTTP/1.1") + "\r\n" + line("GET /2 HTTP/1.1"),
            "200 200 open"
        ),
        .init("an empty line behind a body", length(" 1", "a\r\n") + line("GET /2 HTTP/1.1"), "200 200 open"),
        .init("a line without target and version", "GET\r\nHost: a\r\n\r\n", "closed"),
        .init("a line without version", "GET /\r\n\r\n", badPage),
        .init("a line without version, with fields", "GET /\r\nHost: a\r\n\r\n", badPage),
        .init("a line without target", "GET HTTP/1.1\r\nHost: a\r\n\r\n", badPage),
        .init("a line with an empty target", "GET  HTTP/1.1\r\nHost: a\r\n\r\n", badTarget, page: .v0_9),
        .init("four words", line("GET / x HTTP/1.1"), badTarget, page: .since1),
        .init("NUL in the method", line("GE\0T / HTTP/1.1"), "400 bad-method closed", differs: .unanswered),
        .init("NUL in the target", line("GET /a\0b HTTP/1.1"), badTarget, differs: .unanswered),
        .init("NUL in the version", line("GET / HTTP\0/1.1"), badPage, differs: .unanswered),
        .init("NUL behind the version", line("GET / HTTP/1.1\0"), badPage, differs: .unanswered),
        .init("a line of nonsense", "hello\r\n\r\n", "closed"),
        .init("a line of nonsense with two spaces", "a b c\r\n\r\n", badPage),
        .init("the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "505 page closed"),
        .init("a hello of TLS", "\u{16}\u{3}\u{1}\0\u{5}\u{1}\0\0\u{1}\u{3}\u{3}\n", "closed"),
        .init(
            "a line of the PROXY protocol",
            "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + line("GET / HTTP/1.1"),
            badPage,
            differs: .unanswered
        ),
        .init("version 2 of the PROXY protocol", "\r\n\r\n\0\r\nQUIT\n\u{21}\u{11}\0\u{c}", "closed"),
        .init("a greeting of SMTP", "EHLO a.example\r\n", badPage, differs: .unanswered),
        .init("a command of Redis", "*1\r\n$4\r\nPING\r\n", "closed"),
    ]

    static let versions: [Self] = [
        .init("HTTP/1.0", "GET / HTTP/1.0\r\n\r\n", "200 closed"),
        .init("HTTP/1.0 with Host", line("GET / HTTP/1.0"), "200 closed"),
        .init("HTTP/1.2", line("GET / HTTP/1.2"), "200 open"),
        .init("HTTP/1.9", line("GET / HTTP/1.9"), "200 open"),
        .init("HTTP/2.0", line("GET / HTTP/2.0"), "505 page closed"),
        .init("HTTP/0.9", line("GET / HTTP/0.9"), "505 page closed"),
        .init("HTTP/9.9", line("GET / HTTP/9.9"), "505 page closed"),
        .init("HTTP/1.10", line("GET / HTTP/1.10"), badPage),
        .init("HTTP/1", line("GET / HTTP/1"), badPage),
        .init("HTTP/1.x", line("GET / HTTP/1.x"), badPage),
        .init("http/1.1", line("GET / http/1.1"), badPage),
        .init("HTTPS/1.1", line("GET / HTTPS/1.1"), badPage),
        .init("HTTP/1,1", line("GET / HTTP/1,1"), badPage),
    ]

    static let methods: [Self] = [
        .init("HEAD", line("HEAD / HTTP/1.1"), "200 open"),
        .init("an unknown method", line("BREW / HTTP/1.1"), "200 open", echo: "BREW / -  "),
        .init("a method in lower case", line("get / HTTP/1.1"), "200 open", echo: "get / -  "),
        .init("a method of all marks of a token", line("!#$%&'*+-.^_`|~9a / HTTP/1.1"), "200 open"),
        .init("TRACE", line("TRACE / HTTP/1.1"), "405 method-not-allowed closed"),
        .init("CONNECT", line("CONNECT a:1 HTTP/1.1"), "501 not-implemented closed"),
        .init("CONNECT with a path", line("CONNECT / HTTP/1.1"), "501 not-implemented closed"),
        .init("OPTIONS of the server", line("OPTIONS * HTTP/1.1"), "200 open", echo: "OPTIONS * -  "),
        .init("a method with a parenthesis", line("G(T / HTTP/1.1"), "400 bad-method closed"),
        .init("a method with a comma", line("GET, / HTTP/1.1"), "400 bad-method closed"),
        .init("a method with an accent", line("G\u{e9}T / HTTP/1.1"), "400 bad-method closed"),
        .init("a method with a control character", line("G\u{1}T / HTTP/1.1"), "400 bad-method closed"),
        .init(
            "a method of 40,000 characters",
            line("\(repeated("A", 40_000)) / HTTP/1.1"),
            "414 page closed",
            differs: .unanswered
        ),
        .init("a method of 1,000 characters", line("\(repeated("A", 1000)) / HTTP/1.1"), "200 open"),
    ]
}
