import Core
import Testing

@testable import URLs

/// The one scan of a URL's text, and what is shown and encrypted by it.
@Suite struct URLPartsTests {
    @Test(
        arguments: [
            ("https://a.example:8443/b/c?d#e", "https", "a.example:8443", "/b/c", "?d", "#e"),
            ("https://u:p@a/?q?r/s", "https", "u:p@a", "/", "?q?r/s", ""), ("http://a", "http", "a", "", "", ""),
            ("http://a?b/c", "http", "a", "", "?b/c", ""), ("http://[::1]:80/#?", "http", "[::1]:80", "/", "", "#?"),
            ("no url?a", nil, "", "no url", "?a", ""), ("", nil, "", "", "", ""),
            ("mailto:a@b", nil, "", "mailto:a@b", "", ""),
            ("https://a/b? x", "https", "a", "/b", "? x", ""), ("https://a/ x", "https", "a", "/", "", ""),
        ] as [(String, String?, String, String, String, String)]
    )
    func aTextIsSplit(
        _ text: String,
        _ scheme: String?,
        _ authority: String,
        _ path: String,
        _ query: String,
        _ fragment: String
    ) {
        let parts = URLParts(text)

        #expect(parts.scheme.map(String.init) == scheme)
        #expect(parts.authority == authority && parts.path == path)
        #expect(text[parts.queryStart..<parts.fragmentStart] == query && text[parts.fragmentStart...] == fragment)
    }

    @Test(
        arguments: [
            ("https://a/b?c/d", .query, "https://a/b?", "c/d"), ("https://a/b?c", .path, "https://a/", "b?c"),
            ("https://a?b/c", .path, "https://a?", "b/c"), ("https://a/b", .query, nil, ""),
            ("https://a/", .path, nil, ""),
            ("https://a/b?", .query, nil, ""), ("no url/a", .path, nil, ""),
        ] as [(String, SealedURL.SecretPart, String?, String)]
    )
    func theSecretPartBeginsAfterItsSeparator(
        _ text: String,
        _ part: SealedURL.SecretPart,
        _ shown: String?,
        _ secret: String
    ) {
        let split = SealedURL.split(text, before: part)

        #expect(split.map { String($0.shown) } == shown)
        #expect(split.map { String($0.secret) } ?? "" == secret)
    }

    @Test(arguments: [
        ("https://u:p@a/b?c#d", "https://a/b?REDACTED", "https://a/REDACTED"),
        ("https://a?b/c", "https://a?REDACTED", "https://a?REDACTED"), ("https://u@a@b/", "https://b/", "https://b/"),
        ("no url", "no url", "no url"), ("https://a/b?c@d", "https://a/b?REDACTED", "https://a/REDACTED"),
    ])
    func userQueryAndPathAreHidden(_ text: String, _ withoutQuery: String, _ withoutPath: String) {
        #expect(RedactedURL(text).text == withoutQuery)
        #expect(RedactedURL(text, hiding: .path).text == withoutPath)
    }
}
