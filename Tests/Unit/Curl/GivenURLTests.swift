import Curl
import Testing
import URLs

@Suite struct GivenURLTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("HTTP://EXAMPLE.com:80/A", "http://example.com/A"),
        ("https://example.com:443/", "https://example.com/"),
        ("https://example.com:8443/a?b=c", "https://example.com:8443/a?b=c"),
        ("http://u:p@example.com/x#part", "http://example.com/x"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://[::1]:8080/", "http://[::1]:8080/"),
        ("http://b\u{FC}cher.example/", "http://xn--bcher-kva.example/"),
        ("https://b\u{FC}cher.example/a b.bin", "https://xn--bcher-kva.example/a%20b.bin"),
        ("https://B\u{DC}CHER.Example:8443/", "https://xn--bcher-kva.example:8443/"),
        ("http://fa\u{DF}.example/", "http://xn--fa-hia.example/"),
        ("http://\u{4F8B}\u{3048}\u{3002}\u{30C6}\u{30B9}\u{30C8}/", "http://xn--r8jz45g.xn--zckzah/"),
        ("http://b%C3%BCcher.example/", "http://xn--bcher-kva.example/"),
        ("http://\u{FF11}\u{FF12}\u{FF17}.0.0.1/", "http://127.0.0.1/"),
        ("http://\u{FF10}x7f.1/", "http://127.0.0.1/"),
        ("http://u:\u{F6}@b\u{FC}cher.example/", "http://xn--bcher-kva.example/"),
        ("http://example.com/\u{FC}", "http://example.com/%C3%BC"),
        ("http://example.com/%c3%bc%", "http://example.com/%c3%bc%"),
        ("http://example.com/\"<>^`{|}'[]", "http://example.com/%22%3C%3E%5E%60%7B|%7D'[]"),
        ("http://example.com/?\u{FC} \"<>^`{|}'", "http://example.com/?%C3%BC%20%22%3C%3E^`{|}'"),
        ("http://example.com/a?b c#d e", "http://example.com/a?b%20c"),
        (" \t\r\nhttp://example.com/a \n", "http://example.com/a"),
        ("http://example.com?q", "http://example.com/?q"),
        ("http://example.com/a?", "http://example.com/a?"), ("http://example.com?", "http://example.com/?"),
        ("http://example.com/a?#b", "http://example.com/a?"), ("http://example.com/a??", "http://example.com/a??"),
        ("http://example.com/a\\b?c\\d#\\", "http://example.com/a/b?c\\d"),
        ("http://u:%zz%@example.com/", "http://example.com/"),
    ])
    func aURLHasOneNormalText(_ text: String, _ normal: String) throws {
        #expect(try GivenURL(parsing: text).url.text == normal)
    }

    /// As browsers do it (WHATWG URL, section 4.4, path state).
    @Test(arguments: [
        ("/a/../b", "/b"), ("/a/./b", "/a/b"), ("/..", "/"), ("/../../a", "/a"), ("/a/..", "/"), ("/a/.", "/a/"),
        ("/a/../", "/"), ("/a//../b", "/a/b"), ("//..//a", "//a"), ("/a/%2e%2E/b", "/b"), ("/a/.%2e/b", "/b"),
        ("/a/%2E./b", "/b"), ("/a/%2e/b", "/a/b"), ("/a/...", "/a/..."), ("/a/.b/..c/d..", "/a/.b/..c/d.."),
        ("/a?b/../c", "/a?b/../c"), ("/a/..?", "/?"), ("/a/%2e%2e%2f", "/a/%2e%2e%2f"), ("/a\\..\\b", "/b"),
    ])
    func dotSegmentsAreResolved(_ path: String, _ normal: String) throws {
        #expect(try GivenURL(parsing: "http://example.com\(path)").url.text == "http://example.com\(normal)")
        // A reference alike. Two slashes begin a host there.
        guard !path.hasPrefix("//") else { return }
        #expect(
            try GivenURL(parsing: path, relativeTo: GivenURL(parsing: "http://example.com/x/y?z").url).url.text
                == "http://example.com\(normal)"
        )
    }

    @Test(
        arguments: [
            ("example.com.", "example.com.", 80), ("_dmarc.example.com", "_dmarc.example.com", 80), ("a_", "a_", 80),
            ("-a.example", "-a.example", 80), ("a-:080", "a-", 80), ("a:00080", "a", 80), ("a:008080", "a", 8080),
            ("a:", "a", 80), ("ex%61mple.com", "example.com", 80),
            ("b%C3%BCcher.example.", "xn--bcher-kva.example.", 80),
            ("127.0.0.1:00080", "127.0.0.1", 80), ("%31%32%37.1", "127.0.0.1", 80), ("[::1]:", "[::1]", 80),
            ("\u{2665}.example", "xn--g6h.example", 80), ("xn--fa-hia.example", "xn--fa-hia.example", 80),
            ("\u{393}\u{3B9}\u{3CE}\u{3C1}\u{3B3}\u{3BF}\u{3C2}.example", "xn--oxaarzii4f.example", 80),
        ] as [(String, String, UInt16)]
    )
    func aHostIsTakenAsBrowsersTakeIt(_ authority: String, _ host: String, _ port: UInt16) throws {
        let url = try GivenURL(parsing: "http://\(authority)/").url

        #expect(url.host == host)
        #expect(url.port == port)
    }

    @Test func thePartsAreTold() throws {
        let given = try GivenURL(parsing: "https://us%20er:p%40ss@Example.com/a%20b?c=d#e")
        let url = given.url

        #expect(url.scheme == "https")
        #expect(given.user == "us er")
        #expect(given.password == "p@ss")
        #expect(url.host == "example.com")
        #expect(url.port == 443)
        #expect(url.path == "/a%20b")
        #expect(url.text == "https://example.com/a%20b?c=d")
    }

    @Test(
        arguments: [
            ("", .notAbsolute), ("example.com/file", .notAbsolute), ("//example.com/", .notAbsolute),
            ("http:/example.com/", .notAbsolute), ("http:example.com", .notAbsolute),
            ("http:///example.com/", .notAbsolute),
            ("http://", .notAbsolute), ("://example.com/", .notAbsolute), ("mailto:a@example.com", .notAbsolute),
            ("file:///etc/passwd", .unsupportedScheme("file")), ("GOPHER://example.com/", .unsupportedScheme("gopher")),
            ("scp://example.com/", .unsupportedScheme("scp")),
            ("unknown://example.com/", .unsupportedScheme("unknown")),
            ("http://a@b@c/", .ambiguousAuthority), ("http://a\\@b/", .forbiddenCharacter),
            ("http://a\\b", .forbiddenCharacter), ("http:\\\\a/", .notAbsolute),
            ("http://u%00@a/", .malformed), ("http://u:%7f@a/", .forbiddenCharacter),
            ("http://a:000/", .badPort), ("http://a:+80/", .badPort), ("http://[::1]:8o/", .badPort),
            ("http://a..b/", .badHost), ("http://.a/", .badHost), ("http://a*b/", .badHost),
            ("http://\u{E9}*/", .badHost),
            ("http://" + String(repeating: "a.", count: 127) + "b/", .badHost),
            ("http://[::1]x/", .badHost), ("http://[::1%25eth0]/", .badHost), ("http://[1.2.3.4]/", .badHost),
            ("http://a%2Fb/", .badHost), ("http://a%40b/", .badHost), ("http://a%00b/", .badHost),
            ("http://a%/", .badHost), ("http://a%4/", .badHost), ("http://a%25b/", .badHost),
            ("http://b%FCcher.example/", .badName),
            // These characters are valid beside others alone. The rules of 2003 leave them out, or write others.
            ("http://a\u{200D}b.example/", .badName), ("http://fa\u{DF}\u{200C}.example/", .badName),
            ("http://\u{2665}fa\u{DF}.example/", .badName), ("http://\u{2665}\u{3C2}.example/", .badName),
            ("http://1.1.1.1 &@2.2.2.2#@3.3.3.3/", .forbiddenCharacter), ("http://exa mple.com/", .forbiddenCharacter),
            ("http://example.com/a\tb", .forbiddenCharacter), ("http://example.com/a\nb", .forbiddenCharacter),
            ("ht\ntp://example.com/", .forbiddenCharacter), ("http://example\u{FF0F}.com/", .badName),
            ("http://a.example\u{FF20}b.example/", .badName), ("http://a%EF%BC%8Fb/", .badName),
            ("http://\u{AD}/", .badName), ("http://\u{AD}.example/", .badName), ("http://-\u{FC}-.example/", .badName),
            ("http://\u{202E}a.example/", .badName), ("http://xn--\u{FC}/", .badName),
            ("http://" + String(repeating: "\u{FC}", count: 100) + ".example/", .badName),
            ("http://example.com/" + String(repeating: "\u{FC}", count: 2000), .tooLong),
            ("http://example.com/\r\nX: y", .forbiddenCharacter), ("http://example.com/\0", .forbiddenCharacter),
            ("http://example.com/\u{85}", .forbiddenCharacter), ("http://example.com:0/", .badPort),
            ("http://example.com:65536/", .badPort), ("http://example.com:8o/", .badPort),
            ("http://exa<mple.com/", .badHost),
            ("http://[::1/", .badHost), ("http://:80/", .badHost), ("http://@/", .badHost),
            ("http://example.com/" + String(repeating: "a", count: 9000), .tooLong),
        ] as [(String, URLParseError)]
    )
    func aHostileTextIsRefused(_ text: String, _ error: URLParseError) {
        #expect(throws: error) { try GivenURL(parsing: text) }
    }

    @Test(arguments: [
        ("/c", "http://example.com/c"), ("c", "http://example.com/a/c"), ("../c", "http://example.com/c"),
        ("?x=1", "http://example.com/a/b?x=1"), ("//other.example/c", "http://other.example/c"),
        ("https://other.example", "https://other.example/"), ("c d", "http://example.com/a/c%20d"),
        ("/\u{FC}?\u{FC}#\u{FC}", "http://example.com/%C3%BC?%C3%BC"), ("#f", "http://example.com/a/b?q"),
        ("//b\u{FC}cher.example/\u{FC}", "http://xn--bcher-kva.example/%C3%BC"), (" c\n", "http://example.com/a/c"),
        ("https://b\u{FC}cher.example/a b", "https://xn--bcher-kva.example/a%20b"),
        ("\\c\\d", "http://example.com/c/d"), ("c'?d'", "http://example.com/a/c'?d'"),
        ("?", "http://example.com/a/b?"), ("c?", "http://example.com/a/c?"), ("..", "http://example.com/"),
        (".", "http://example.com/a/"), ("./", "http://example.com/a/"), ("../../../c", "http://example.com/c"),
        ("%2e%2e/c", "http://example.com/c"), ("c//d", "http://example.com/a/c//d"),
        ("?a/../b", "http://example.com/a/b?a/../b"),
        ("/c#f", "http://example.com/c"), ("/a/./b/../c", "http://example.com/a/c"), ("", "http://example.com/a/b?q"),
    ])
    func aReferenceIsResolved(_ reference: String, _ result: String) throws {
        #expect(
            try GivenURL(parsing: reference, relativeTo: GivenURL(parsing: "http://example.com/a/b?q").url).url.text
                == result
        )
    }

    @Test(
        arguments: [
            ("file:///etc/passwd", .unsupportedScheme("file")), ("gopher://example.com/", .unsupportedScheme("gopher")),
            ("javascript:alert(1)", .notAbsolute), ("http:/other", .notAbsolute), ("//a@b@c/", .ambiguousAuthority),
            ("///other/", .notAbsolute), ("\\\\other\\", .forbiddenCharacter), ("/\\other/", .forbiddenCharacter),
            ("\\/other/", .forbiddenCharacter), ("//other\\", .forbiddenCharacter), ("/a\r\nb", .forbiddenCharacter),
            ("//\u{FF0F}/", .badName), ("//\u{338}a@b@c/", .ambiguousAuthority),
        ] as [(String, URLParseError)]
    )
    func aHostileReferenceIsRefused(_ reference: String, _ error: URLParseError) throws {
        let base = try GivenURL(parsing: "http://example.com/a/b").url

        #expect(throws: error) { try GivenURL(parsing: reference, relativeTo: base) }
    }

    @Test func theUserOfTheBaseIsNotInherited() throws {
        let url = try GivenURL(parsing: "/b", relativeTo: GivenURL(parsing: "http://u:p@example.com/a").url)

        #expect(url.user == nil)
        #expect(url.password == nil)
    }

    @Test(
        arguments: [
            ("ftp://example.com:21/a/b", "ftp://example.com/a/b", 21),
            ("ftps://example.com/a", "ftps://example.com/a", 990),
            ("ftps://example.com:21/a", "ftps://example.com:21/a", 21),
            ("SFTP://u:p@example.com/~/a", "sftp://example.com/~/a", 22),
            ("ftp://example.com/a%3Fb", "ftp://example.com/a%3Fb", 21),
        ] as [(String, String, UInt16)]
    )
    func aURLOfAFileIsReadWhereItMayBe(_ text: String, _ normal: String, _ port: UInt16) throws {
        let url = try GivenURL(parsing: text, schemes: URLScheme.all).url

        #expect(url.text == normal)
        #expect(url.port == port)
        #expect(throws: URLParseError.unsupportedScheme(url.scheme)) { try GivenURL(parsing: text) }
    }

    @Test(
        arguments: [
            ("ftp://example.com", .folder), ("ftp://example.com/", .folder), ("sftp://example.com/a/", .folder),
            ("ftp://example.com/a\\b", .forbiddenCharacter), ("ftp://example.com/a/..", .folder),
            ("ftp://example.com/a?", .queryOfFile), ("ftp://example.com/a%2f", .folder),
            ("ftp://example.com/a?b", .queryOfFile),
            ("ftp://example.com/a;type=d", .fileType), ("ftps://example.com/a;TYPE=A", .fileType),
            ("ftp://example.com/a%0d%0aDELE%20b", .malformed), ("ftp://example.com/a%00b", .malformed),
            ("ftp://example.com/a%7fb", .forbiddenCharacter), ("ftp://u%0aDELE%20b@example.com/a", .malformed),
            ("scp://example.com/a", .unsupportedScheme("scp")), ("tftp://example.com/a", .unsupportedScheme("tftp")),
        ] as [(String, URLParseError)]
    )
    func urlsWithoutAFileOfAServerAreRefused(_ text: String, _ error: URLParseError) {
        #expect(throws: error) { try GivenURL(parsing: text, schemes: URLScheme.all) }
    }

    @Test func aReferenceLeadsToNoServerOfFiles() throws {
        let base = try GivenURL(parsing: "http://example.com/a").url

        #expect(throws: URLParseError.unsupportedScheme("ftp")) {
            try GivenURL(parsing: "ftp://example.com/a", relativeTo: base)
        }
    }

    @Test func theVersionNamesLibcurl() {
        #expect(CurlLibrary.versionText.hasPrefix("libcurl/"))
    }
}
