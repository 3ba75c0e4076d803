import Core
import HTTPFields
import Testing
import TransferRules

@Suite struct MetalinkTests {
    private static let sha = String(repeating: "ab", count: 32)

    private func read(_ text: String) throws(MetalinkError) -> Metalink { try Metalink(parsing: Array(text.utf8)) }

    private static func document(
        _ content: String,
        root: String = "xmlns=\"urn:ietf:params:xml:ns:metalink\""
    ) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metalink \(root)>\n\(content)\n</metalink>\n"
    }

    private static func file(_ content: String, name: String = "a.iso") -> String {
        document("<file name=\"\(name)\">\(content)</file>")
    }

    private static let url = "<url>http://a.example/a.iso</url>"

    @Test func aDocumentSaysWhatTheFileIs() throws {
        let text = Self.document(
            """
            <generator>any/1.0</generator><published>2009-05-15T12:23:23Z</published>
            <!-- the one file -->
            <file name="a &amp; b.iso">
              <size>14471447</size>
              <identity>Example</identity>
              <hash type="sha-256"> \(Self.sha) </hash>
              <hash type="sha3-512">00</hash>
              <pieces length="1048576" type="sha-256"><hash>\(Self.sha)</hash><hash>00</hash></pieces>
              <url location="de" priority="2">http://b.example/a.iso?x=1&amp;y=2</url>
              <url>http://c.example/a.iso</url>
              <url priority="1"><![CDATA[https://a.example/a.iso]]></url>
              <url priority="1">ftp://d.example/a.iso</url>
              <metaurl mediatype="torrent">http://e.example/a.torrent</metaurl>
              <x:url xmlns:x="urn:other">http://f.example/</x:url>
            </file>
            """
        )

        let metalink = try read(text)
        let digest = try #require(Digest(algorithm: .sha256, hex: Self.sha))
        #expect(metalink.name == "a & b.iso")
        #expect(metalink.sizeBytes == 14_471_447)
        #expect(metalink.digests == [digest])
        #expect(
            metalink.urls == ["https://a.example/a.iso", "http://b.example/a.iso?x=1&y=2", "http://c.example/a.iso"]
        )
    }

    @Test func aHashThatIsNoneIsPassedOver() throws {
        let hashes = "<hash type=\"sha-512\">abc</hash><hash type=\"sha-256\">\(Self.sha)</hash><hash type=\"md5\"/>"

        let metalink = try read(Self.file(Self.url + hashes))

        #expect(metalink.digests.map(\.algorithm) == [.sha256])
    }

    @Test func anyPrefixMayStandForTheNamespace() throws {
        let root = "xmlns:m=\"urn:ietf:params:xml:ns:metalink\""
        let text = "<m:metalink \(root)><m:file name='f'><m:url>http://a/</m:url></m:file></m:metalink>"

        #expect(try read(text).urls == ["http://a/"])
    }

    @Test(
        arguments: [
            (document(""), .files(0)), (document("<file name=\"a\"/><file name=\"b\"/>"), .files(2)),
            (file("<size>1</size>"), .noURL), (file("<url>ftp://a/</url>"), .noURL),
            (file(url + "<size>-1</size>"), .unreadableMember),
            (file(url + "<size>1</size><size>2</size>"), .unreadableMember),
            (
                file(url + "<hash type=\"md5\">\(sha.prefix(32))</hash><hash type=\"md5\">\(sha.prefix(30))00</hash>"),
                .unreadableMember
            ),
            (document("<file name=\"a\">\(url)</file>", root: ""), .otherDocument),
            (document("<file name=\"a\">\(url)</file>", root: "xmlns=\"http://www.metalinker.org/\""), .otherDocument),
            ("<html/>", .otherDocument), (String(repeating: " ", count: 1 << 20) + "<a/>", .tooLarge),
        ] as [(String, MetalinkError)]
    )
    func aDocumentOfNoUseIsRefusedWithItsReason(_ text: String, _ fault: MetalinkError) {
        #expect(throws: fault) { try read(text) }
    }

    @Test(
        arguments: [("<!DOCTYPE metalink><metalink/>", .documentType), ("<metalink>", .malformed)]
            as [(String, XMLParseError)]
    )
    func aDocumentThatIsNoXMLIsRefusedWithTheReasonOfTheReader(_ text: String, _ fault: XMLParseError) {
        #expect(throws: MetalinkError.notXML(fault)) { try read(text) }
    }

    /// No prefix, and no document with one byte changed, makes the reader trap or run on.
    @Test func damagedDocumentsAreReadOrRefused() {
        let text = Array(Self.file(Self.url + "<hash type=\"sha-256\">\(Self.sha)</hash><!-- x --><a b='&lt;'/>").utf8)
        for index in text.indices {
            _ = try? Metalink(parsing: Array(text[..<index]))
            for byte in [0x00, 0x3C, 0x3E, 0x26, 0x22, 0x2F, 0x21, 0xC3] as [UInt8] {
                var damaged = text
                damaged[index] = byte
                _ = try? Metalink(parsing: damaged)
            }
        }
    }
}
