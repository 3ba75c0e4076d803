import Testing

@testable import Curl

/// Fields whose bytes are not UTF-8.
struct HeadBuilderTests {
    private static func fields(_ lines: [[UInt8]]) -> [HeaderField] {
        var builder = HeadBuilder(limits: HeadLimits())
        for line in [Array("HTTP/1.1 302 Found".utf8)] + lines {
            _ = unsafe (line + [0x0D, 0x0A]).withUnsafeBytes { unsafe builder.consume($0) }
        }
        return builder.fields
    }

    @Test func aValueIsReadAsLatin1() {
        #expect(Self.fields([Array("X-Name: b".utf8) + [0xFC]]) == [HeaderField("X-Name", "b\u{FC}")])
    }

    @Test func theBytesOfALocationAreKept() {
        #expect(Self.fields([Array("location: /a b".utf8) + [0xFC]]) == [HeaderField("location", "/a b%FC")])
        #expect(Self.fields([Array("Location: /\u{FC}".utf8)]) == [HeaderField("Location", "/\u{FC}")])
    }
}

/// Lines as they may come to the parser, whatever version of libcurl passes them on.
struct HeadLineTests {
    private static func result(_ lines: [String]) -> (HeadBuilder.Progress, HeadBuilder) {
        var builder = HeadBuilder(limits: HeadLimits())
        var progress = HeadBuilder.Progress.incomplete
        for line in ["HTTP/1.1 200 OK"] + lines + [""] {
            guard case .incomplete = progress else { break }
            progress = unsafe Array("\(line)\r\n".utf8).withUnsafeBytes { unsafe builder.consume($0) }
        }
        return (progress, builder)
    }

    /// One each five seconds for two hours.
    @Test func manyInterimResponsesWithoutFieldsAreAccepted() {
        var builder = HeadBuilder(limits: HeadLimits())
        for line in Array(repeating: ["HTTP/1.1 102 Processing\r\n", "\r\n"], count: 1440).joined() {
            switch unsafe Array(line.utf8).withUnsafeBytes({ unsafe builder.consume($0) }) {
            case .incomplete where line != "\r\n", .interim where line == "\r\n": break
            case let other: Issue.record("\(line): \(other)")
            }
        }
    }

    @Test(arguments: ["Transfer-Encoding:\r\n chunked", "Content-Length: 1\r\n 000", "Content-Length:\r\n\t7"])
    func aFieldThatDelimitsTheBodyMustNotBeFolded(_ text: String) {
        let (progress, _) = Self.result(text.split(separator: "\r\n").map(String.init))

        guard case .malformed = progress else {
            Issue.record("\(progress)")
            return
        }
    }

    /// libcurl 8.22 passes on a folded field as one line.
    @Test(
        arguments: [
            ("Transfer-Encoding: chunked", .chunked(besideLength: nil)), ("Content-Length:  7", .length(7)),
        ] as [(String, BodyFraming)]
    )
    func anUnfoldedFieldDelimitsTheBody(_ line: String, _ framing: BodyFraming) {
        let (progress, builder) = Self.result([line])

        guard case .complete = progress else {
            Issue.record("\(progress)")
            return
        }
        #expect(builder.framing == framing)
    }

    @Test(
        arguments: [
            (["Content-Length: 1 000"], .length), (["Content-Length: 5", "Content-Length: 6"], .length),
            (["Transfer-Encoding: gzip"], .transferCoding),
        ] as [([String], BodyFraming.Fault)]
    )
    func aHeadWithoutAClearEndIsRefused(_ lines: [String], _ fault: BodyFraming.Fault) {
        let (progress, _) = Self.result(lines)

        guard case .unframed(fault) = progress else {
            Issue.record("\(progress)")
            return
        }
    }
}
