import Curl
import TestSupport
import Testing

/// A loop with more than 256 transfers writes what it read from a socket before it reads from the next one.
@Suite struct CrowdedLoopTests {
    private static let content = Content(size: 300_000)

    /// A loop whose table has 257 more transfers: they have ended, but nobody has received their bodies.
    private func withCrowdedLoop(_ body: (Origin, TransferLoop) async throws -> Void) async throws {
        try await withOrigin(Self.content) { origin, loop in
            origin.serve("/small", Content(size: 10))
            let crowd = try await withThrowingTaskGroup(of: Exchange.self) { group in
                for _ in 0..<257 { group.addTask { try await loop.start(request(origin.url("/small"))) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try await body(origin, loop)
            for exchange in crowd { #expect(try await exchange.receive(into: RecordingSink()).bytesReceived == 10) }
        }
    }

    @Test func manyBodiesAtOnceReachTheirSinksWhole() async throws {
        try await withCrowdedLoop { origin, loop in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<30 {
                    group.addTask {
                        let sink = RecordingSink()
                        let request = try request(origin.url()) { $0.receiveBufferBytes = 4 << 10 }
                        let end = try await loop.start(request).receive(into: sink)
                        return end.bytesReceived == Self.content.size && sink.bytes == Self.content.allBytes
                    }
                }
                for try await isWhole in group { #expect(isWhole) }
            }
        }
    }

    @Test(arguments: [[.wait, .taken], [.part(1), .part(99), .wait, .part(4000), .taken]] as [[SinkResult]])
    func bytesThatASinkLeavesAreOfferedAgainInACrowdedLoop(_ results: [SinkResult]) async throws {
        let sink = RecordingSink(results)
        try await withCrowdedLoop { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            let end = try await exchange.receive(into: sink, resumingAfter: 1..<results.count)

            #expect(end.bytesReceived == Self.content.size)
            #expect(sink.bytes == Self.content.allBytes)
        }
    }

    @Test func aSinkThatStopsEndsTheTransfer() async throws {
        let sink = RecordingSink([.taken, .stop])
        try await withCrowdedLoop { origin, loop in
            let exchange = try await loop.start(request(origin.url()))

            #expect(await curlCode { _ = try await exchange.receive(into: sink) } == .sinkStopped)
        }
    }
}
