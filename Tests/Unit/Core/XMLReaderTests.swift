import Core
import Testing

@Suite struct XMLReaderTests {
    private static func events(_ text: String) throws(XMLParseError) -> [XMLReader.Event] {
        try events(Array(text.utf8))
    }

    private static func events(_ document: [UInt8]) throws(XMLParseError) -> [XMLReader.Event] {
        var reader = try XMLReader(document)
        var events: [XMLReader.Event] = []
        while let event = try reader.next() { events.append(event) }
        return events
    }

    /// A document as S3 sends it.
    @Test func elementsAndTextComeInDocumentOrder() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <Error xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Code>NoSuchKey</Code><Key a="1"/></Error>
            """
        let namespace = "http://s3.amazonaws.com/doc/2006-03-01/"

        #expect(
            try Self.events(text) == [
                .start(XMLElement(namespace: namespace, name: "Error", attributes: ["xmlns": namespace])),
                .start(XMLElement(namespace: namespace, name: "Code")), .text("NoSuchKey"), .end,
                .start(XMLElement(namespace: namespace, name: "Key", attributes: ["a": "1"])), .end,
                .end,
            ]
        )
    }

    @Test func aPrefixStandsForItsNamespaceInItsElementOnly() throws {
        let root = XMLElement(namespace: "", name: "a")
        let inner = XMLElement(namespace: "urn:x", name: "b", attributes: ["xmlns:p": "urn:x"])

        #expect(try Self.events("<a><p:b xmlns:p='urn:x'/></a>") == [.start(root), .start(inner), .end, .end])
        #expect(throws: XMLParseError.malformed) { try Self.events("<a><p:b xmlns:p='urn:x'/><p:b/></a>") }
    }

    @Test(
        arguments: [
            ("&lt;&gt;&amp;&apos;&quot;", "<>&'\""), ("&#65;&#x1F600;", "A\u{1F600}"), ("<![CDATA[<&]]>", "<&"),
            ("\u{E4}", "\u{E4}"),
        ]
    )
    func referencesAndSectionsAreReplacedByTheirText(_ text: String, _ expected: String) throws {
        #expect(try Self.events("<a>\(text)</a>").dropFirst().first == .text(expected))
    }

    @Test func commentsAndInstructionsAreSkipped() throws {
        #expect(try Self.events("<!-- x --><a><?y z?><!-- < --></a><!-- -->").count == 2)
    }

    private static let bomb = """
        <!DOCTYPE m [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><metalink>&b;</metalink>
        """
    private static func nested(_ depth: Int) -> String {
        String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    private static let wide = "<a " + (0..<33).map { "a\($0)='' " }.joined() + "/>"

    @Test(
        arguments: [
            (bomb, .documentType), ("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", .documentType),
            (nested(XMLReader.maximumDepth + 1), .tooDeep), (wide, .tooDeep),
            ("", .malformed), ("text", .malformed), ("<a>", .malformed), ("</a>", .malformed), ("<a></b>", .malformed),
            ("<a/><b/>", .malformed), ("<a/>text", .malformed), ("<a b=c/>", .malformed),
            ("<a b='1' b='2'/>", .malformed),
            ("<a b='<'/>", .malformed), ("<a>&nbsp;</a>", .malformed), ("<a>&#0;</a>", .malformed),
            ("<a>&#xD800;</a>", .malformed), ("<a>&amp</a>", .malformed), ("<a>]]></a>", .malformed),
            ("<a><![CDATA[x</a>", .malformed), ("<a><!-- -- --></a>", .malformed), ("<a>\u{1}</a>", .malformed),
            ("<a:b/>", .malformed), ("<1/>", .malformed), (" <?xml version='1.0'?><a/>", .malformed),
            ("<?xml version='1.0' encoding='UTF-16'?><a/>", .malformed), ("<a b='1'c='2'/>", .malformed),
        ] as [(String, XMLParseError)]
    )
    func hostileAndBrokenTextIsRefused(_ text: String, _ fault: XMLParseError) {
        #expect(throws: fault) { try Self.events(text) }
    }

    @Test func theDeepestNestingIsAccepted() throws {
        #expect(try Self.events(Self.nested(XMLReader.maximumDepth)).count == 2 * XMLReader.maximumDepth)
    }

    @Test func textThatIsNotUTF8IsRefused() {
        #expect(throws: XMLParseError.malformed) { try Self.events([0x3C, 0x61, 0xFF, 0x2F, 0x3E]) }
    }

    /// No prefix, and no document with one byte changed, makes the reader trap or run on.
    @Test func damagedDocumentsAreReadOrRefused() {
        let text = Array("<?xml version='1.0'?><p:a xmlns:p=\"u\"><b c='&lt;'/><!-- x --><![CDATA[y]]>&#65;</p:a>".utf8)
        for index in text.indices {
            _ = try? Self.events(Array(text[..<index]))
            for byte in [0x00, 0x3C, 0x3E, 0x26, 0x22, 0x2F, 0x21, 0xC3] as [UInt8] {
                var damaged = text
                damaged[index] = byte
                _ = try? Self.events(damaged)
            }
        }
    }
}
