import Core
import Testing
@testable import Transfer

struct SourceURLTests {
    @Test(arguments: [
        ("http://EXAMPLE.org/a?b#c", "example.org:80"), ("https://example.org", "example.org:443"),
        ("http://127.1:81/", "127.0.0.1:81"), ("http://[::1]:8080/x", "[::1]:8080"), ("https://[::1]/x", "[::1]:443"),
    ])
    func aHostIsCountedUnderOneName(text: String, authority: String) throws {
        #expect(try SourceURL.parse(text).url.authority == authority)
    }

    @Test func userInformationIsTakenOutOfTheURL() throws {
        let (url, user, password) = try SourceURL.parse("http://a%40b:c%3Ad@example.org/x")

        #expect(url.text == "http://example.org/x")
        #expect(user == "a@b")
        #expect(password == "c:d")
    }

    @Test(arguments: [
        "", "x", "ftp://a/b", "http://", "http://a b/", "http://a/\u{0}", "file:///x", "//a/b", "http:/a",
    ])
    func whatIsNoWebAddressIsRefused(text: String) {
        #expect(throws: InvalidURL.self) { try SourceURL.parse(text) }
    }
}
