import Core
import URLs

@testable import Curl

extension FuzzTarget {
    /// URLs of clients, references of origins, and what is shown and stored of them.
    static let urls = FuzzTarget(name: "urls") { bytes in
        let text = String(fieldBytes: bytes)
        _ = RedactedURL(text)
        _ = RedactedURL(secretMembersOf: text)
        _ = DownloadURL(normalized: text)
        if let given = try? GivenURL(parsing: text, schemes: URLScheme.all) { try checkURL(given.url) }
        let base = DownloadURL(
            text: "https://a.example:8443/b/c?d",
            scheme: "https",
            host: "a.example",
            port: 8443,
            path: "/b/c"
        )
        if let given = try? GivenURL(parsing: text, relativeTo: base) { try checkURL(given.url) }
    }

    private static func checkURL(_ url: DownloadURL) throws {
        try check(url.isComplete && url.port > 0, "a URL has scheme, host and port: \(url)")
        try check(url.text.utf8.count <= GivenURL.maximumLength, "a URL has a limit")
        try check(url.text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }, "\(url)")
        try check(!url.host.utf8.contains { "@/?#\\".utf8.contains($0) }, "a host is one: \(url)")
        try check(url.host == url.host.lowercased(), "a host is in lower case: \(url)")
        try checkSame(url, DownloadURL(normalized: url.text), "what is stored is read again")
        let again: GivenURL
        do {
            again = try GivenURL(parsing: url.text, schemes: URLScheme.all)
        } catch {
            throw BrokenProperty(description: "a normalised URL is valid: \(error) \(url.text)")
        }
        try checkSame(GivenURL(url: url), again, "a normalised URL stays as it is")
        try check(
            !RedactedURL(url).text.contains("?") || RedactedURL(url).text.hasSuffix("?REDACTED")
                || url.text.hasSuffix("?"),
            "no query is shown: \(RedactedURL(url))"
        )
        if let (shown, secret) = SealedURL.split(url.text, before: .query) {
            try check("\(shown)\(secret)" == url.text && !secret.isEmpty, "a URL is split without loss")
            let sealed = SealedURL.join(shown: shown, encrypted: "c2VhbGVk")
            try check(DownloadURL(normalized: sealed).host == url.host, "a sealed URL keeps its host: \(sealed)")
            try check(url.with(text: sealed).with(text: url.text) == url, "a sealed URL is opened again")
        }
    }
}
