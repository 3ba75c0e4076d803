import Testing

@testable import Curl

/// What marks the end of a body, by its head.
struct BodyFramingTests {
    private static func framing(
        _ fields: [String],
        status: Int = 200,
        _ version: ResponseHead.Version = .http1_1
    ) throws -> BodyFraming {
        let fields = fields.map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return HeaderField(String(parts[0]), parts[1].trimmed)
        }
        return try BodyFraming(status: status, version: version, fields: fields)
    }

    @Test(
        arguments: [
            ([], .untilClose), (["Content-Length: 50"], .length(50)), (["content-LENGTH: 0"], .length(0)),
            (["Content-Length: 50, 50"], .length(50)), (["Content-Length: 50", "Content-Length: 50"], .length(50)),
            (["Content-Length: 9223372036854775807"], .length(.max)),
            (["Content-Length: 9223372036854775808"], .untilClose),
            (["Transfer-Encoding: chunked"], .chunked(besideLength: nil)),
            (["transfer-encoding: CHUNKED"], .chunked(besideLength: nil)),
            (["Transfer-Encoding: , chunked ,"], .chunked(besideLength: nil)),
            (["Content-Length: 0", "Transfer-Encoding: chunked"], .chunked(besideLength: 0)),
            (["Transfer-Encoding: chunked", "Content-Length: 5"], .chunked(besideLength: 5)),
        ] as [([String], BodyFraming)]
    )
    func theHeadDecides(_ fields: [String], _ framing: BodyFraming) throws {
        #expect(try Self.framing(fields) == framing)
    }

    @Test(arguments: [
        "identity", "gzip", "gzip, chunked", "chunked, gzip", "chunked, chunked", "identity, chunked",
        "chunked, identity", "", ",", "xchunked", "chunked;a=b", "\"chunked\"", "chun ked", "chunked\u{B}",
    ])
    func anythingButChunkedIsRefused(_ coding: String) {
        for others in [[], ["Content-Length: 50"]] {
            #expect(throws: BodyFraming.Fault.transferCoding) {
                try Self.framing(["Transfer-Encoding: \(coding)"] + others)
            }
        }
    }

    @Test func twoFieldsOfChunkedAreRefused() {
        #expect(throws: BodyFraming.Fault.transferCoding) {
            try Self.framing(["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"])
        }
    }

    @Test(arguments: [
        ["-1"], ["+50"], ["50x"], ["0x10"], ["5 0"], [""], ["50,"], ["50, 40"], ["50", "40"], ["050", "50"], ["1.5"],
        ["\u{666}"],
    ])
    func aLengthThatIsNoneIsRefusedAlsoBesideChunks(_ lengths: [String]) {
        let fields = lengths.map { "Content-Length: \($0)" }
        for others in [[], ["Transfer-Encoding: chunked"]] {
            #expect(throws: BodyFraming.Fault.length) { try Self.framing(others + fields) }
        }
    }

    @Test(arguments: [204, 304])
    func someStatusesAllowNoBody(_ status: Int) throws {
        for fields in [[], ["Content-Length: 50"], ["Transfer-Encoding: chunked"]] {
            #expect(try Self.framing(fields, status: status) == .noBody)
        }
    }

    @Test func theEndOfAnHTTP2StreamIsItsOwn() throws {
        #expect(try Self.framing([], .http2) == .stream(length: nil))
        #expect(try Self.framing(["content-length: 50"], .http2) == .stream(length: 50))
        #expect(throws: BodyFraming.Fault.transferCoding) { try Self.framing(["transfer-encoding: chunked"], .http2) }
    }
}

extension Substring {
    fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
