import Core
import HTTPFields
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Fields that hold anything but what they should.
struct HostileFieldTests {
    private static let names = [
        "ETag", "Last-Modified", "Date", "Content-Range", "Content-Type", "Content-Disposition", "Content-Encoding",
        "Accept-Ranges", "Retry-After", "Repr-Digest", "Digest", "Content-MD5", "Link", "Set-Cookie", "Location",
    ]

    private static let values = [
        "", "\"", "\\\"\u{1}\u{7F}", "\u{FF}\u{FE}\u{0}", "%s%n%00/../..", "../\u{202E}\u{85}\u{2028}", ";;;=,=\"",
        "bytes */*", "bytes 18446744073709551616-1/0", "-9223372036854775808", "\u{E9}\u{301}{\"a\":\"\\u0000\"}",
        String(repeating: "\"(,;", count: 10_000),
    ]

    @Test(arguments: names)
    func theFileIsRightWhateverAFieldHolds(name: String) async throws {
        for value in Self.values {
            let cut = Behaviour {
                $0.extraFields = ["\(name): \(value)"]
                $0.ending = .cut(after: 100_000, by: .fin)
            }
            var whole = cut
            whole.ending = .complete
            try await withBench(Content(size: 300_000), script: [cut, whole, .good]) { bench in
                let outcomes = await bench.attempts(try bench.assignment())

                #expect(bench.holds(outcomes.last?.file), "\(value.prefix(40)): \(outcomes)")
                let path = outcomes.last?.file?.path ?? ""
                #expect(path.unicodeScalars.allSatisfy { $0.value > 0x1F && !(0x7F...0x9F).contains($0.value) })
            }
        }
    }

    @Test(arguments: [
        "\"\"", "W/\"\"", "unquoted", "w/\"small\"", "\"a\u{1}b\"", "\"\(String(repeating: "x", count: 65_536))\"",
    ])
    func aTagThatIsNoneIsNotKept(tag: String) async throws {
        try await withBench(script: [.validators(.etag(tag))]) { bench in
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(try bench.assignment(), checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.assignment?.download.source.status == 200)
            #expect(checkpointSink.assignment?.download.source.etag == nil)
        }
    }

    @Test(arguments: [
        Behaviour.fields((0..<100_000).map { "X-\($0): y" }),
        .fields(["X-Long: " + String(repeating: "x", count: 1 << 20)]), .interimResponses(10_000),
    ])
    func aHeadThatIsTooMuchIsABadResponseOfFewTries(flood: Behaviour) async throws {
        try await withBench(script: [flood]) { bench in
            let outcome = await bench.attempt(try bench.assignment())

            #expect(outcome.errorCode == .badResponse)
            #expect(outcome.failure?.failureClass == .transient(.retries(2)))
            #expect(bench.parts.isEmpty && bench.files.isEmpty)
        }
    }
}
