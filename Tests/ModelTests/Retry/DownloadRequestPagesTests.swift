import Core
import Testing

struct DownloadRequestPagesTests {
    private static func request(_ url: String, filename: String? = nil, refreshURL: String?) throws -> DownloadRequest {
        try DownloadRequest(
            url: SourceURL(text: url, scheme: "https", host: "a.example", port: 443, path: "/"),
            refreshURL: refreshURL,
            filename: filename.map { try FileName(validating: $0) }
        )
    }

    @Test(arguments: [
        ("https://a.example/file.iso?sig=1", nil), ("https://a.example/get?file=a.html", nil),
        ("https://a.example/", nil), ("https://a.example/f", "book.epub"),
    ])
    func aPageIsNoFileWhereAnotherLinkMayBeHad(url: String, filename: String?) throws {
        #expect(try Self.request(url, filename: filename, refreshURL: "https://b.example/").expectsNoPage)
    }

    @Test(arguments: [
        ("https://a.example/index.html", nil), ("https://a.example/INDEX.HTM?x", nil),
        ("https://a.example/f", "a.xhtml"),
    ])
    func aPageThatIsNamedOneIsAFile(url: String, filename: String?) throws {
        #expect(try !Self.request(url, filename: filename, refreshURL: "https://b.example/").expectsNoPage)
    }

    @Test func withNobodyToAskAPageIsAFile() throws {
        #expect(try !Self.request("https://a.example/file.iso", refreshURL: nil).expectsNoPage)
    }
}
