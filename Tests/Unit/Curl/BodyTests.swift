import Curl
import Synchronization
import TestSupport
import Testing

/// The second phase: bytes to the sink, pauses, and ends of every kind.
@Suite struct BodyTests {
    private static let large = Content(size: 5_000_000)

    @Test(arguments: [Behaviour.Framing.contentLength, .chunked, .closeDelimited])
    func theBodyReachesTheSinkWhole(_ framing: Behaviour.Framing) async throws {
        let sink = RecordingSink()
        try await withOrigin(Self.large, script: [.framing(framing)]) { origin, loop in
            let end = try await loop.start(request(origin.url())).receive(into: sink)

            #expect(end.bytesReceived == Self.large.size)
            #expect(sink.bytes == Self.large.allBytes)
            #expect(sink.largestPiece <= 256 << 10)
        }
    }

    /// What has come before there was a sink is one piece; libcurl hands over the rest in pieces of 16 KiB.
    @Test(
        arguments: [(1, least: 200, most: 5_000_000), (.max, least: 20, most: 100)]
            as [(leastOffer: Int64, least: Int, most: Int)]
    )
    func aSinkThatAsksForLittleIsNotOfferedLateWhatHasCome(leastOffer: Int64, least: Int, most: Int) async throws {
        let sink = RecordingSink(leastOffer: leastOffer)
        try await withOrigin(Self.large) { origin, loop in
            _ = try await loop.start(request(origin.url())).receive(into: sink)

            #expect(sink.bytes == Self.large.allBytes)
            #expect((least...most).contains(sink.pieces))
        }
    }

    @Test func aSmallBodyThatEndedBeforeReceiveIsKept() async throws {
        let sink = RecordingSink()
        try await withOrigin(script: [.good]) { origin, loop in
            let first = try await loop.start(request(origin.url()))
            // A later exchange came and went, so the first one's body is here.
            _ = try await loop.start(request(origin.url())).receive(into: RecordingSink())
            let end = try await first.receive(into: sink)

            #expect(end.bytesReceived == 1000)
            #expect(sink.bytes == Content(size: 1000).allBytes)
        }
    }

    @Test func aLargeBodyWaitsForItsJudgement() async throws {
        let sink = RecordingSink()
        try await withOrigin(Self.large) { origin, loop in
            origin.serve("/small", Content(size: 10))
            let exchange = try await loop.start(request(origin.url()))
            for _ in 0..<20 {
                _ = try await loop.start(request(origin.url("/small"))).receive(into: RecordingSink())
            }
            _ = try await exchange.receive(into: sink)

            #expect(sink.bytes == Self.large.allBytes)
        }
    }

    @Test func aSinkThatWaitsIsOfferedTheSameBytesAgain() async throws {
        let sink = RecordingSink([.wait, .taken, .wait, .wait, .taken])
        try await withOrigin(Self.large) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            let end = try await exchange.receive(into: sink, resumingAfter: [1, 3, 4])

            #expect(end.bytesReceived == Self.large.size)
            #expect(sink.bytes == Self.large.allBytes)
        }
    }

    @Test func bytesThatASinkLeavesAreOfferedAgain() async throws {
        let sink = RecordingSink([.part(1), .part(99), .wait, .part(4000), .taken])
        try await withOrigin(Self.large) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            let end = try await exchange.receive(into: sink, resumingAfter: 1...4)

            #expect(end.bytesReceived == Self.large.size)
            #expect(sink.bytes == Self.large.allBytes)
        }
    }

    @Test func aSinkThatWaitsForTheLastBytesKeepsTheEndBack() async throws {
        let sink = RecordingSink([.wait, .taken])
        try await withOrigin { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            let end = try await exchange.receive(into: sink, resumingAfter: [1])

            #expect(end.bytesReceived == 1000)
        }
    }

    /// libcurl 8.14 reads on although the transfer is paused again, and gives up at 64 MiB.
    @Test func aSinkThatWaitsOftenGetsALargeBodyWhole() async throws {
        let content = Content(size: 150_000_000)
        let sink = HesitantSink()
        try await withOrigin(content) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            async let end = exchange.receive(into: sink)
            for await _ in sink.waits { exchange.resume() }

            #expect(try await end.bytesReceived == content.size)
        }
    }

    @Test func aSinkThatStopsEndsTheTransfer() async throws {
        let sink = RecordingSink([.taken, .stop])
        try await withOrigin(Self.large) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))

            #expect(await curlCode { _ = try await exchange.receive(into: sink) } == .sinkStopped)
            #expect(sink.bytes.elementsEqual(Self.large.allBytes.prefix(sink.bytes.count)))
        }
    }

    @Test(arguments: [Behaviour.Framing.contentLength, .chunked])
    func aCutBodyIsPartialAndItsBytesAreKept(_ framing: Behaviour.Framing) async throws {
        let sink = RecordingSink()
        let behaviour = Behaviour {
            $0.framing = framing
            $0.ending = .cut(after: 700_001, by: .fin)
        }
        try await withOrigin(Self.large, script: [behaviour]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))

            #expect(await curlCode { _ = try await exchange.receive(into: sink) } == .partialFile)
            #expect(sink.bytes == Self.large.bytes(in: 0..<700_001))
        }
    }

    @Test func aSlowBodyIsSeenBeforeTheBufferIsFull() async throws {
        let isReleased = Signal()
        let sink = RecordingSink()
        try await withOrigin(script: [.pace(.stall(after: 10, until: isReleased))]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            async let end = exchange.receive(into: sink)
            await sink.offers.wait()

            #expect(sink.bytes == Content(size: 1000).bytes(in: 0..<10))
            isReleased.fire()
            #expect(try await end.bytesReceived == 1000)
        }
    }

    @Test func encodedBytesAreNotDecoded() async throws {
        let sink = RecordingSink()
        try await withOrigin(script: [.claimingGzip]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            _ = try await exchange.receive(into: sink)

            #expect(exchange.head.single("content-encoding") == "gzip")
            #expect(sink.bytes == Content(size: 1000).allBytes)
        }
    }

    @Test func twoHundredTransfersShareALoop() async throws {
        let content = Content(size: 300_000)
        try await withOrigin(content) { origin, loop in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let sink = RecordingSink()
                        let end = try await loop.start(request(origin.url())).receive(into: sink)
                        return end.bytesReceived == content.size && sink.bytes == content.allBytes
                    }
                }
                for try await isWhole in group { #expect(isWhole) }
            }
        }
    }
}

/// Takes every other offer, and keeps no byte.
private final class HesitantSink: BodySink {
    /// One element for each offer that was not taken; it ends with the last byte.
    let waits: AsyncStream<Void>
    private let wait: AsyncStream<Void>.Continuation
    private let state = Mutex((hasWaited: false, bytes: 0))
    private let size: Int

    init(size: Int = 150_000_000) {
        self.size = size
        (waits, wait) = AsyncStream.makeStream()
    }

    func write(_ bytes: RawSpan) -> SinkResult {
        let (result, isLast) = state.withLock { state -> (SinkResult, Bool) in
            state.hasWaited.toggle()
            if state.hasWaited { return (.wait, false) }
            state.bytes += bytes.byteCount
            return (.taken, state.bytes == size)
        }
        if result == .wait { wait.yield() } else if isLast { wait.finish() }
        return result
    }
}
