import TestSupport
import Testing

@testable import Curl

/// The decoder of chunked bodies.
struct ChunkDecoderTests {
    private struct Decoded: Equatable {
        var content = ""
        var isComplete = false
        var fault: ChunkDecoder.Fault?
        var hasSurplus = false
    }

    /// Decodes the pieces of a body one after the other.
    private static func decode(_ pieces: [[UInt8]]) -> Decoded {
        var decoder = ChunkDecoder()
        var content: [UInt8] = []
        for piece in pieces {
            unsafe piece.withUnsafeBytes { bytes in
                unsafe decoder.decode(bytes) { unsafe content += Array($0) }
            }
        }
        return Decoded(
            content: String(decoding: content, as: UTF8.self),
            isComplete: decoder.isComplete,
            fault: decoder.fault,
            hasSurplus: decoder.hasSurplus
        )
    }

    /// Decodes a body, whole and split at every byte, and in single bytes. The result is the same.
    private static func decode(_ text: String) -> Decoded {
        let bytes = Array(text.utf8)
        let whole = decode([bytes])
        for place in 0...bytes.count {
            #expect(decode([Array(bytes[..<place]), Array(bytes[place...])]) == whole, "split at \(place)")
        }
        #expect(decode(bytes.map { [$0] }) == whole)
        return whole
    }

    @Test(
        arguments: [
            ("0\r\n\r\n", ""), ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n", "hello!"),
            ("0005\r\nhello\r\n000\r\n\r\n", "hello"),
            ("a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
            ("5 \t\r\nhello\r\n0  \r\n\r\n", "hello"), ("5;a=b\r\nhello\r\n0;last\r\n\r\n", "hello"),
            ("5 ; a=\"5;\"\r\nhello\r\n0\r\n\r\n", "hello"), ("2\r\n\r\n\r\n0\r\n\r\n", "\r\n"),
            ("3\r\n0\r\n\r\n0\r\n\r\n", "0\r\n"), ("5\r\nhello\r\n0\r\nA: b\r\nC:\r\n\r\n", "hello"),
            ("5\nhello\n0\n\n", "hello"), ("5\r\nhello\n0\r\nA: b\n\r\n", "hello"),
            ("5\nhello\r\n0\nA: b\r\n\n", "hello"),
            ("0000000000000005\r\nhello\r\n0\r\n\r\n", "hello"),
        ]
    )
    func aValidBodyIsComplete(_ text: String, _ content: String) {
        #expect(Self.decode(text) == Decoded(content: content, isComplete: true))
    }

    @Test func everyProperBeginningOfABodyIsIncompleteAndNoFault() {
        let text = "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nA: b\r\n\r\n"
        for count in 0..<text.utf8.count {
            let decoded = Self.decode([Array(text.utf8.prefix(count))])

            #expect(!decoded.isComplete && decoded.fault == nil && "hello!".hasPrefix(decoded.content), "\(count)")
        }
    }

    @Test(
        arguments: [
            ("\r\n", .size, ""), ("zz\r\n", .size, ""), ("-1\r\n", .size, ""), ("+5\r\n", .size, ""),
            (" 5\r\n", .size, ""), (";a\r\n", .size, ""), ("0x5\r\n", .size, ""), ("5 5\r\n", .size, ""),
            ("5,\r\n", .size, ""), ("5\0\r\n", .size, ""), ("5\u{B}\r\n", .size, ""),
            ("5\r\nhello\r\ng\r\n", .size, "hello"), ("5\r\nhello\r\n\r\n", .size, "hello"),
            ("8000000000000000\r\n", .sizeTooLarge, ""), ("FFFFFFFFFFFFFFFF\r\n", .sizeTooLarge, ""),
            ("00000000000000005\r\nhello", .sizeTooLarge, ""), ("5\rhello", .lineEnd, ""), ("5;a\rb\r\n", .lineEnd, ""),
            ("5\r\nhelloX", .lineEnd, "hello"), ("5\r\nhello\rX", .lineEnd, "hello"),
            ("5\r\nhello\r\r\n", .lineEnd, "hello"), ("5\r\nhello0\r\n\r\n", .lineEnd, "hello"),
            ("0\r\n\rX", .lineEnd, ""), ("0\r\nA: b\rX", .lineEnd, ""), ("5;\0\r\n", .character, ""),
            ("5;\u{7F}\r\n", .character, ""), ("0\r\nA: \0\r\n", .character, ""),
            ("0\r\nno colon\r\n\r\n", .trailer, ""),
            ("0\r\n: b\r\n\r\n", .trailer, ""), ("0\r\n A: b\r\n\r\n", .trailer, ""), ("0\r\nA\n\r\n", .trailer, ""),
        ] as [(String, ChunkDecoder.Fault, String)]
    )
    func anInvalidBodyIsAFaultAfterItsGoodBytes(_ text: String, _ fault: ChunkDecoder.Fault, _ content: String) {
        #expect(Self.decode(text) == Decoded(content: content, fault: fault))
    }

    @Test func theLargestSizeIsThatOfAFile() {
        #expect(Self.decode("7FFFFFFFFFFFFFFF\r\nhello") == Decoded(content: "hello"))
    }

    @Test(arguments: ["X", "\r\n", "0\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n"])
    func bytesAfterTheBodyAreSurplus(_ text: String) {
        let decoded = Self.decode("5\r\nhello\r\n0\r\n\r\n" + text)

        #expect(decoded == Decoded(content: "hello", isComplete: true, hasSurplus: true))
    }

    @Test func noByteAfterAFaultIsContent() {
        #expect(Self.decode("5\r\nhelloX5\r\nworld\r\n0\r\n\r\n") == Decoded(content: "hello", fault: .lineEnd))
    }

    @Test(
        arguments: [
            (";" + String(repeating: "a", count: 3990), nil), (";" + String(repeating: "a", count: 4000), .tooLong),
            (String(repeating: " ", count: 4001), .tooLong),
        ] as [(String, ChunkDecoder.Fault?)]
    )
    func anExtensionHasALimit(_ text: String, _ fault: ChunkDecoder.Fault?) {
        #expect(Self.decode([Array("5\(text)\r\nhello\r\n0\r\n\r\n".utf8)]).fault == fault)
    }

    @Test(arguments: [(1, 4100), (20, 4000), (20_000, 1)])
    func trailersHaveALimit(_ lines: Int, _ length: Int) {
        let line = "A: " + String(repeating: "b", count: length) + "\r\n"
        let text = "0\r\n" + String(repeating: line, count: lines) + "\r\n"

        #expect(Self.decode([Array(text.utf8)]) == Decoded(fault: .tooLong))
    }

    /// Any content in chunks of any sizes, in pieces of any sizes.
    @Test(arguments: [UInt64(1), 2, 3])
    func anyContentInAnyPiecesIsDecoded(_ seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<100 {
            let content = Content(size: Int64.random(in: 0...5000, using: &random)).allBytes
            var body: [UInt8] = []
            var place = 0
            while place < content.count {
                let count = min(Int.random(in: 1...2000, using: &random), content.count - place)
                body += Array("\(String(count, radix: 16))\r\n".utf8) + content[place..<place + count] + [0x0D, 0x0A]
                place += count
            }
            body += Array("0\r\n\r\n".utf8)
            var decoder = ChunkDecoder()
            var decoded: [UInt8] = []
            var rest = body[...]
            while !rest.isEmpty {
                #expect(!decoder.isComplete)
                let piece = Array(rest.prefix(Int.random(in: 1...700, using: &random)))
                rest = rest.dropFirst(piece.count)
                unsafe piece.withUnsafeBytes { unsafe decoder.decode($0) { unsafe decoded += Array($0) } }
            }

            #expect(decoder.isComplete && !decoder.hasSurplus && decoder.fault == nil && decoded == content)
        }
    }
}
