import Curl
import Testing

@Suite struct ParsedURLTests {
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
        ("http://example.com/?\u{FC} \"<>^`{|}'", "http://example.com/?%C3%BC%20%22%3C%3E^`{|}%27"),
        ("http://example.com/a?b c#d e", "http://example.com/a?b%20c"),
        (" \t\r\nhttp://example.com/a \n", "http://example.com/a"),
        ("http://example.com/a/../b", "http://example.com/a/../b"),
        ("http://example.com?q", "http://example.com/?q"),
    ])
    func aURLHasOneNormalText(_ text: String, _ normal: String) throws {
        #expect(try ParsedURL(text).text == normal)
    }

    @Test func thePartsAreTold() throws {
        let url = try ParsedURL("https://us%20er:p%40ss@Example.com/a%20b?c=d#e")

        #expect(url.scheme == .https)
        #expect(url.user == "us er")
        #expect(url.password == "p@ss")
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
        #expect(throws: error) { try ParsedURL(text) }
    }

    @Test(arguments: [
        ("/c", "http://example.com/c"), ("c", "http://example.com/a/c"), ("../c", "http://example.com/c"),
        ("?x=1", "http://example.com/a/b?x=1"), ("//other.example/c", "http://other.example/c"),
        ("https://other.example", "https://other.example/"), ("c d", "http://example.com/a/c%20d"),
        ("/\u{FC}?\u{FC}#\u{FC}", "http://example.com/%C3%BC?%C3%BC"), ("#f", "http://example.com/a/b?q"),
        ("//b\u{FC}cher.example/\u{FC}", "http://xn--bcher-kva.example/%C3%BC"), (" c\n", "http://example.com/a/c"),
        ("https://b\u{FC}cher.example/a b", "https://xn--bcher-kva.example/a%20b"),
        ("/c#f", "http://example.com/c"), ("/a/./b/../c", "http://example.com/a/c"), ("", "http://example.com/a/b?q"),
    ])
    func aReferenceIsResolved(_ reference: String, _ result: String) throws {
        #expect(try ParsedURL("http://example.com/a/b?q").resolving(reference).text == result)
    }

    @Test(
        arguments: [
            ("file:///etc/passwd", .unsupportedScheme("file")), ("gopher://example.com/", .unsupportedScheme("gopher")),
            ("javascript:alert(1)", .notAbsolute), ("http:/other", .notAbsolute), ("//a@b@c/", .ambiguousAuthority),
            ("///other/", .notAbsolute), ("\\\\other\\", .forbiddenCharacter), ("/a\r\nb", .forbiddenCharacter),
            ("//\u{FF0F}/", .badName), ("//\u{338}a@b@c/", .ambiguousAuthority),
        ] as [(String, URLParseError)]
    )
    func aHostileReferenceIsRefused(_ reference: String, _ error: URLParseError) throws {
        let base = try ParsedURL("http://example.com/a/b")

        #expect(throws: error) { try base.resolving(reference) }
    }

    @Test func theUserOfTheBaseIsNotInherited() throws {
        let url = try ParsedURL("http://u:p@example.com/a").resolving("/b")

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
        let url = try ParsedURL(text, schemes: ParsedURL.Scheme.all)

        #expect(url.text == normal)
        #expect(url.port == port)
        #expect(throws: URLParseError.unsupportedScheme(url.scheme.rawValue)) { try ParsedURL(text) }
    }

    @Test(
        arguments: [
            ("ftp://example.com", .folder), ("ftp://example.com/", .folder), ("sftp://example.com/a/", .folder),
            ("ftp://example.com/a%2f", .folder), ("ftp://example.com/a?b", .queryOfFile),
            ("ftp://example.com/a;type=d", .fileType), ("ftps://example.com/a;TYPE=A", .fileType),
            ("ftp://example.com/a%0d%0aDELE%20b", .malformed), ("ftp://example.com/a%00b", .malformed),
            ("ftp://example.com/a%7fb", .forbiddenCharacter), ("ftp://u%0aDELE%20b@example.com/a", .malformed),
            ("scp://example.com/a", .unsupportedScheme("scp")), ("tftp://example.com/a", .unsupportedScheme("tftp")),
        ] as [(String, URLParseError)]
    )
    func whatIsNoFileOfAServerIsRefused(_ text: String, _ error: URLParseError) {
        #expect(throws: error) { try ParsedURL(text, schemes: ParsedURL.Scheme.all) }
    }

    @Test func aReferenceLeadsToNoServerOfFiles() throws {
        let base = try ParsedURL("http://example.com/a")

        #expect(throws: URLParseError.unsupportedScheme("ftp")) { try base.resolving("ftp://example.com/a") }
    }

    @Test func theVersionNamesLibcurl() {
        #expect(CurlLibrary.versionText.hasPrefix("libcurl/"))
    }
}
