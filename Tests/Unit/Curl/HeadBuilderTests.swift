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
