import Core
import Curl
import TestSupport
import Testing

@testable import Transfer

/// A URL is parsed once. What is stored of it is split again without the parser, with the same result.
@Suite struct DownloadURLTests {
    private let vault = CredentialVault(key: [UInt8](repeating: 7, count: 32))

    @Test(arguments: [
        "http://example.com", "HTTP://EXAMPLE.com:80/A", "https://example.com:8443/a?b=c/d:e@f", "http://2130706433/",
        "https://example.com?q", "https://example.com/a:b@c/?", "https://example.com/?a#b",
        "http://u:p@example.com/x#y",
        "http://[::1]/", "https://[2001:DB8::1]:8443/a", "http://b\u{FC}cher.example/\u{FC}", "http://a_b.example/%20",
        "https://example.com//a//b", "http://example.com/a/../b", "https://example.com:65535/", "http://a./",
        "ftp://example.com:21/a/b", "ftp://example.com/a%3Fb", "ftps://example.com/a", "ftps://example.com:21/a",
        "SFTP://u:p@example.com/~/a",
    ])
    func aStoredTextIsSplitAsItWasParsed(_ text: String) throws {
        let url = try GivenURL(parsing: text, schemes: URLScheme.all).url
        let (query, path) = (vault.seal(url), vault.seal(url, hiding: .path))

        #expect(url.isComplete)
        #expect(DownloadURL(normalized: url.text) == url)
        #expect(DownloadURL(normalized: query.text) == query && DownloadURL(normalized: path.text) == path)
        #expect(query.path == url.path, "the secret is in the query alone")
        #expect(path.path == "/", "the path is the secret")
        for sealed in [query, path] {
            #expect(sealed.isSameOrigin(as: url))
            #expect(DownloadURL(normalized: sealed.fingerprint.text) == sealed.fingerprint)
            #expect(DownloadURL(normalized: sealed.withoutSecret.text) == sealed.withoutSecret)
            #expect(try vault.open(sealed) == url)
        }
    }

    @Test(arguments: [
        "", "x", "http:", "http://", "http:///a", "http://:80/", "http://a:/", "http://a:0/", "http://a:65536/",
        "http://u@a/", "http://a b/", "http://a\\b/", "http://a?b", "http://a#b", "HTTP://a/", "gopher://a/", "//a/b",
        "http://[::1]x:80/a", "http://a:80:90/",
    ])
    func aDamagedTextIsKeptAndHasNoParts(_ text: String) {
        let url = DownloadURL(normalized: text)

        #expect(url.text == text)
        #expect(!url.isComplete && url.host.isEmpty)
        #expect(TransferRequest(to: url) == nil)
    }

    @Test func aDamagedMirrorIsPassedOver() throws {
        var request = DownloadRequest(url: "http://a.example/f")
        request.mirrors = ["m", "http://b.example/f", "ftp://c.example/f", "http://"]
        let now = Timestamp(milliseconds: 0)
        let times = Download.Times(createdAt: now, deadlineAt: now)
        let download = Download(id: DownloadID(first: now), request: request, state: .running, times: times)

        #expect(Assignment(download: download).sourceURLs == ["http://a.example/f", "http://b.example/f"])
    }
}
