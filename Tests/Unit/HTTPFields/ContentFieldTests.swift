import Core
import HTTPFields
import TestSupport
import Testing

@Suite struct ContentDispositionTests {
    @Test(
        arguments: [
            ("attachment; filename=a.txt", "a.txt"), ("attachment; filename=\"a b.txt\"", "a b.txt"),
            ("Attachment;FILENAME = \"a.txt\" ; x=y", "a.txt"), ("inline; filename=\"a\\\"b\"", "a\"b"),
            ("attachment; filename=\"x;y.txt\"", "x;y.txt"), ("filename=\"a.txt\"", "a.txt"),
            ("attachment; filename=\"euro.txt\"; filename*=UTF-8''%e2%82%ac.txt", "\u{20AC}.txt"),
            ("attachment; filename*=utf-8'en'a%20b; filename=c", "a b"),
            ("attachment; filename*=ISO-8859-1''%A3", "\u{A3}"), ("attachment; filename=\"na\u{EF}ve\"", "na\u{EF}ve"),
            // What cannot be decoded falls back to the plain name, and a percent sign there is only that.
            ("attachment; filename*=UTF-8''%ff%fe; filename=b.txt", "b.txt"),
            ("attachment; filename*=koi8-r''%c1; filename=b.txt", "b.txt"), ("attachment; filename=a%20b", "a%20b"),
            ("attachment; filename*=broken; filename=b.txt", "b.txt"), ("attachment; filename=\"open", "open"),
            ("attachment; filename=a; filename=b", "a"), ("attachment; filename*=UTF-8''%zz", "%zz"),
            // What stands in quotes is of one piece, wherever it stands.
            ("attachment \"x; filename=evil\"; filename=b.txt", "b.txt"),
            ("attachment; \"a;filename=evil\"; filename=b", "b"),
            ("attachment; x=\"a\" \"; filename=evil\"; filename=b", "b"),
            ("attachment; filename=a\"b;c\".txt", "a\"b;c\".txt"),
            ("attachment; filename*=UTF-8''a%3Bb; filename=\"x;y\"", "a;b"),
            ("attachment; filename=5\" disk.txt; a=b", "5\" disk.txt"),
            ("attachment; a\"b=c;\"=d; filename=\"x;y\"", "x;y"), ("attachment; filename=\"x;\\\";y\"; a=b", "x;\";y"),
            ("attachment; filename=\"\"", ""), ("attachment; filename=\"a\\", "a\\"),
        ] as [(String, String)]
    )
    func theNameIsRead(_ field: String, name: String) {
        #expect(ContentDisposition(field).filename == name)
    }

    @Test(arguments: ["", "attachment", ";;;", "attachment; name=x", "attachment; filename*0=a; filename*1=b", "=;="])
    func aFieldWithoutANameHasNone(_ field: String) {
        #expect(ContentDisposition(field).filename == nil)
    }

    @Test func theTypeIsInLowerCase() {
        #expect(ContentDisposition("InLine; filename=a").type == "inline")
        #expect(ContentDisposition("filename=a").type == "")
    }

    @Test(arguments: ["a.txt", "na\u{EF}ve \u{20AC}.txt", "a\"b\\c%20.txt", "x'y*z.txt", "\u{1F600}"])
    func aNameSurvivesItsField(_ name: String) {
        let field = ContentDisposition.attachment(filename: name)

        #expect(ContentDisposition(field).filename == name)
        #expect(field.utf8.allSatisfy { (0x20...0x7E).contains($0) })
    }

    @Test func aFieldHasAnASCIIFallback() {
        let field = ContentDisposition.attachment(filename: "\u{20AC}\"1\r\n.txt")

        #expect(field == "attachment; filename=\"__1_.txt\"; filename*=UTF-8''%E2%82%AC%221%0D%0A.txt")
    }

    @Test func noBytesTrapTheParsers() {
        var generator = SplitMix64(seed: 2)
        let pieces = [
            "attachment", ";", "=", "\"", "\\", "filename", "*", "'", "%", "%e2", "UTF-8", " ", "\u{E9}", "\0",
        ]
        for _ in 0..<50_000 {
            let text = (0..<Int.random(in: 0...12, using: &generator)).map { _ in generator.pick(pieces) }.joined()
            let name = ContentDisposition(text).filename

            #expect((name?.utf8.count ?? 0) <= text.utf8.count)
            _ = MediaType(text)
            _ = EntityTag(text)
            _ = ContentRange(text)
        }
    }
}

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

@Suite struct LinkFieldTests {
    @Test func duplicatesComeByTheirPriority() {
        let links = LinkField.all(
            """
            <http://c/>; rel=duplicate, <http://b/?a=1,2;3>; rel="Duplicate"; pri=2; geo=de ,\
            <http://a/>;pri=1;rel="other duplicate", <http://d/>; rel=duplicate; pri=0, <http://e/>; rel=describedby
            """
        )

        #expect(links.duplicates == ["http://a/", "http://b/?a=1,2;3", "http://c/", "http://d/"])
    }

    @Test func aMetalinkIsToldByItsType() {
        let links = LinkField.all(
            """
            </a.torrent>; rel=describedby; type="application/x-bittorrent", \
            </a.meta4>; rel=describedby; type="application/metalink4+xml"
            """
        )

        #expect(links.metalink == "/a.meta4")
    }

    @Test(arguments: [
        ("", 0), ("a", 0), ("<a", 0), ("<a>; rel=duplicate x", 0), ("<a>; rel=\"duplicate", 0),
        ("<a>; rel=duplicate; anchor=\"/b\"", 0), ("<a>; rel=next", 0), ("<a>; rel=duplicate, <b", 1),
        (",, <a>; rel=duplicate ,", 1), ("<a> ; rel = duplicate ; pri = x", 1),
    ])
    func unreadableContentFieldsAreIgnored(_ value: String, _ count: Int) {
        #expect(LinkField.all(value).duplicates.count == count)
    }
}
