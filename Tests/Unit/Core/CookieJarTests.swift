import Core
import HTTPFields
import Testing
import TransferRules

struct CookieJarTests {
    private static let now = HTTPDate(secondsSinceEpoch: 1_700_000_000)

    private static func url(
        _ path: String,
        _ host: String = "a.example",
        scheme: String = "http",
        port: UInt16? = nil
    )
        -> DownloadURL
    {
        let port = port ?? (scheme == "https" ? 443 : 80)
        return DownloadURL(
            text: "\(scheme)://\(host):\(port)\(path)",
            scheme: scheme,
            host: host,
            port: port,
            path: path
        )
    }

    @Test(
        arguments: [
            ("a=1", "a=1"), (" a = 1 ; Path=/ ", "a=1"), ("a=", "a="), ("a=\"1\"", "a=\"1\""), ("a=b=c", "a=b=c"),
            ("a=1; Max-Age=60", "a=1"), ("a=1; Max-Age=0", nil), ("a=1; max-age=-1", nil), ("a=1; Max-Age=x", "a=1"),
            ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil), ("a=1; Expires=Thu, 01-Jan-1970 00:00:00 GMT", nil),
            ("a=1; Expires=Fri, 01 Jan 2100 00:00:00 GMT", "a=1"), ("a=1; Expires=never", "a=1"),
            ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=9", "a=1"),
            ("a=1; Secure", nil), ("a=1; Domain=a.example", "a=1"), ("a=1; Domain=.example", "a=1"),
            ("a=1; Domain=b.example", nil), ("a=1; Domain=xa.example", nil), ("a=1; HttpOnly; SameSite=Lax", "a=1"),
            ("", nil), ("a", nil), ("=1", nil), ("a b=1", nil), ("a=\u{E4}", nil), ("a=1\r\nX: y", nil),
            ("a=\(String(repeating: "x", count: 5000))", nil),
        ] as [(String, String?)]
    )
    func setCookieIsParsedAsInRFC6265(_ field: String, _ sent: String?) {
        var jar = CookieJar(for: Self.url("/"))
        jar.store(field, from: Self.url("/x"), now: Self.now)

        #expect(jar.fieldValue(for: Self.url("/y")) == sent)
    }

    @Test(
        arguments: [
            ("a=1", "/d/f", "/d/g", true), ("a=1", "/d/f", "/d", true), ("a=1", "/d/f", "/e", false),
            ("a=1", "/d/f", "/dx", false), ("a=1; Path=/", "/d/f", "/e", true), ("a=1; Path=/d/", "/d/f", "/d", false),
            ("a=1; Path=d", "/d/f", "/e", false),
        ]
    )
    func aPathLimitsIt(_ field: String, _ setter: String, _ requested: String, _ isSent: Bool) {
        var jar = CookieJar(for: Self.url("/"))
        jar.store(field, from: Self.url(setter), now: Self.now)

        #expect((jar.fieldValue(for: Self.url(requested)) != nil) == isSent)
    }

    @Test func aCookieIsSentToItsHostOnlyAndAlsoOverHTTPS() {
        var jar = CookieJar(for: Self.url("/"))
        jar.store("a=1; Domain=example", from: Self.url("/"), now: Self.now)

        #expect(jar.fieldValue(for: Self.url("/", scheme: "https")) == "a=1")
        #expect(jar.fieldValue(for: Self.url("/", "b.a.example")) == nil)
        #expect(jar.fieldValue(for: Self.url("/", "example")) == nil)
        #expect(jar.fieldValue(for: Self.url("/", port: 8080)) == nil)
    }

    @Test func anotherPortsReplacesNoneOfTheHost() {
        var jar = CookieJar([.init(name: "b", value: "1")], for: Self.url("/"))
        jar.store("a=1; Path=/", from: Self.url("/"), now: Self.now)
        for field in ["a=2; Path=/", "b=2; Path=/"] {
            jar.store(field, from: Self.url("/", port: 8080), now: Self.now)
        }

        #expect(jar.fieldValue(for: Self.url("/")) == "b=1; a=1")
        #expect(jar.fieldValue(for: Self.url("/", port: 8080)) == "a=2; b=2")
    }

    @Test func aSecureOneIsNotSentInTheClear() {
        var jar = CookieJar(for: Self.url("/"))
        jar.store("a=1; Secure", from: Self.url("/", scheme: "https"), now: Self.now)

        #expect(jar.fieldValue(for: Self.url("/", scheme: "https")) == "a=1")
        #expect(jar.fieldValue(for: Self.url("/")) == nil)
    }

    @Test func theClientsOwnGoToTheirOriginAlone() {
        let jar = CookieJar([.init(name: "a", value: "1")], for: Self.url("/d/f"))

        #expect(jar.fieldValue(for: Self.url("/e")) == "a=1")
        #expect(jar.fieldValue(for: Self.url("/d/f", scheme: "https")) == nil)
    }

    @Test func anAnswerReplacesAndRemovesTheClientsOwn() {
        var jar = CookieJar([.init(name: "a", value: "1"), .init(name: "b", value: "2")], for: Self.url("/"))
        jar.store("a=3", from: Self.url("/"), now: Self.now)
        jar.store("b=; Max-Age=0", from: Self.url("/"), now: Self.now)

        #expect(jar.fieldValue(for: Self.url("/")) == "a=3")
    }

    @Test func noMoreAreKeptThanABrowserWould() {
        var jar = CookieJar(for: Self.url("/"))
        for number in 0..<1000 { jar.store("c\(number)=1", from: Self.url("/"), now: Self.now) }

        #expect(jar.fieldValue(for: Self.url("/"))?.split(separator: ";").count == 128)
    }
}
