extension RawRequest {
    static let targets: [Self] = [
        .init("a path and a query", line("GET /a?b=c&d HTTP/1.1"), "200 open", echo: "GET /a b=c&d  "),
        .init("an empty query", line("GET /a? HTTP/1.1"), "200 open", echo: "GET /a   "),
        .init("two question marks", line("GET /a?b?c HTTP/1.1"), "200 open", echo: "GET /a b?c  "),
        .init(
            "percent-encoded UTF-8",
            line("GET /a%20b/%e2%82%ac HTTP/1.1"),
            "200 open",
            echo: "GET /a%20b/%e2%82%ac -  "
        ),
        .init("a query of 8,000 parameters", line("GET /?\(repeated("a&", 8000)) HTTP/1.1"), "200 open"),
        .init("a query of 500 parameters", line("GET /?\(repeated("a=b&", 500)) HTTP/1.1"), "200 open"),
        .init("NUL before many parameters", line("GET /?a=%00&\(repeated("a=b&", 500)) HTTP/1.1"), badTarget),
        .init("a target with a space", line("GET /a b HTTP/1.1"), badTarget, page: .since1),
        .init("a target with two spaces", line("GET /a b c HTTP/1.1"), badTarget, page: .since1),
        .init("a query with a space", line("GET /?a b HTTP/1.1"), badTarget, page: .since1),
        .init("a target with a tab", line("GET /a\tb HTTP/1.1"), badTarget),
        .init("a target with a control character", line("GET /a\u{1}b HTTP/1.1"), badTarget),
        .init("a target with DEL", line("GET /a\u{7f} HTTP/1.1"), badTarget),
        .init("a target in Latin-1", line("GET /\u{e9} HTTP/1.1"), badTarget),
        .init("a target in UTF-8", line("GET /\u{c3}\u{a9} HTTP/1.1"), badTarget),
        .init("a target with a fragment", line("GET /a#b HTTP/1.1"), badTarget),
        .init("a target with a backslash", line("GET /a\\b HTTP/1.1"), badTarget),
        .init("an encoded NUL", line("GET /%00x HTTP/1.1"), badTarget),
        .init("an encoded NUL in the query", line("GET /?a=%00 HTTP/1.1"), badTarget),
        .init("an encoded slash", line("GET /a%2Fb HTTP/1.1"), badTarget),
        .init("an encoded dot segment", line("GET /%2e%2e/x HTTP/1.1"), badTarget),
        .init("a dot segment", line("GET /a/../b HTTP/1.1"), badTarget),
        .init("a percent sign without digits", line("GET /%zz HTTP/1.1"), badTarget),
        .init("a percent sign at the end", line("GET /% HTTP/1.1"), badTarget),
        .init("a target without slash", line("GET a/b HTTP/1.1"), badTarget),
        .init("an asterisk for GET", line("GET * HTTP/1.1"), badTarget),
        .init("two slashes", line("GET //a HTTP/1.1"), "200 open", echo: "GET //a -  "),
        .init("an absolute target", line("GET http://a/x?y HTTP/1.1"), "200 open", echo: "GET /x y  "),
        .init("an absolute target in capitals", line("GET HTTP://A HTTP/1.1"), "200 open", echo: "GET / -  "),
        .init("an absolute target of another host", line("GET http://b/ HTTP/1.1"), badTarget),
        .init("an absolute target with a user", line("GET http://u@a/ HTTP/1.1"), badTarget),
        .init("an absolute target of FTP", line("GET ftp://a/ HTTP/1.1"), badTarget),
        .init("a target of 16,384 bytes", line("GET /\(repeated("a", 16_383)) HTTP/1.1"), "200 open"),
        .init("a target of 16,385 bytes", line("GET /\(repeated("a", 16_384)) HTTP/1.1"), "414 target-too-long closed"),
        .init(
            "a long target of an unknown method",
            line("BREW /\(repeated("a", 40_000)) HTTP/1.1"),
            "414 page closed",
            differs: .unanswered
        ),
        .init("a target of 40,000 bytes", line("GET /\(repeated("a", 40_000)) HTTP/1.1"), "414 page closed"),
    ]

    static let malformedTargets = [
        "/a%00", "/a%2fb", "/a%5Cb", "/..", "/.", "/a/./b", "/../../etc/passwd", "/.%2E/x", "/%2e", "/a/%2e./b",
        "/%0d%0a",
        "/a%7f", "/%2", "/x?a=%g0", "a", "http://", "https://a.b/x", "http://a.b", "//../x", "/\u{80}", "/a\u{ff}",
    ].map {
        Self(
            "target \($0.unicodeScalars.map { $0.isASCII ? String($0) : "\($0.value)" }.joined())",
            line("GET \($0) HTTP/1.1"),
            badTarget
        )
    }

    static let malformedHosts = [
        "localhost:evil.example", "[::1]evil", "[::1", "a:80:80", "a:-1", "a:+1", "[a]", "[]", "[::1]:x", "a b", ":80",
        "a,b", "[fe80::1%25eth0]", "a]", "%zz", "a%", "a?b", "a#b", "a\\b", "*", "a@b:80",
    ].map { Self("Host \($0)", host(" \($0)"), badHost) }

    static let hosts: [Self] = [
        .init("no Host", "GET / HTTP/1.1\r\n\r\n", badHost, page: .since1),
        .init("no Host with a body", "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc", badHost, page: .since1),
        .init("two fields Host", field("Host: a"), badHost, page: .newest),
        .init("two different Hosts", field("Host: b"), badHost, page: .newest),
        .init("an empty Host", host(""), badHost),
        .init("a Host of spaces", host("  "), badHost),
        .init("a Host without space", host("a"), "200 open"),
        .init("a Host behind a tab", host("\ta"), "200 open"),
        .init("a Host before a space", host(" a "), "200 open"),
        .init("a Host before a tab", host(" a\t"), "200 open"),
        .init("a Host with a port", host(" a:80"), "200 open"),
        .init("a Host with an empty port", host(" a:"), "200 open"),
        .init("a Host of IPv6", host(" [::1]:80"), "200 open"),
        .init("a Host of IPv6 without brackets", host(" ::1"), badHost),
        .init("a Host with a folded line", host(" a\r\n\tb"), badField, page: .since1),
        .init("a Host with a path", host(" a/b"), badHost),
        .init("a Host with a user", host(" u@a"), badHost),
        .init("a Host with a comma", host(" a, b"), badHost),
        .init("a Host with text as port", host(" a:b"), badHost),
        .init("a Host with port 65536", host(" a:65536"), badHost),
        .init("a Host with NUL", host(" a\0b"), badField, page: .since1),
        .init("a Host with an accent", host(" \u{e9}"), badHost),
        .init("Host before a space and a colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", badField, page: .since1),
        .init("HTTP/1.0 with two Hosts", "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n", badHost, page: .newest),
    ]
}
