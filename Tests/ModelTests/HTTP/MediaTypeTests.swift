import Core
import HTTPFields
import Testing

@Suite struct MediaTypeTests {
    @Test(
        arguments: [
            ("Text/HTML; charset=utf-8", "text/html"), ("application/zip", "application/zip"),
            ("image/svg+xml ;a=b", "image/svg+xml"), ("text", nil), ("text/", nil), ("/html", nil), ("", nil),
            ("text/html garbage", nil), ("te xt/html", nil),
        ] as [(String, String?)]
    )
    func theEssenceIsRead(_ field: String, essence: String?) {
        #expect(MediaType(field)?.essence == essence)
    }

    @Test func pagesAndMultipartsAreKnown() {
        #expect(MediaType("text/html")?.isWebPage == true)
        #expect(MediaType("application/xhtml+xml")?.isWebPage == true)
        #expect(MediaType("text/plain")?.isWebPage == false)
        #expect(MediaType("multipart/byteranges; boundary=x")?.isMultipartByteRanges == true)
    }
}
