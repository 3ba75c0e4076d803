import Curl
import TestSupport
import Testing
import URLs

/// Transfers that we end ourselves.
@Suite struct TransferEndTests {
    private static let large = Content(size: 50_000_000)

    @Test func aDiscardedExchangeCannotBeReceived() async throws {
        try await withOrigin(Self.large) { origin, loop in
            let exchange = try await loop.start(request(origin.url()))
            await exchange.discard()
            await exchange.discard()

            #expect(await curlCode { _ = try await exchange.receive(into: RecordingSink()) } == .aborted)
        }
    }

    @Test func aDiscardedExchangeDropsItsConnection() async throws {
        try await withOrigin(Self.large) { origin, loop in
            try await loop.start(request(origin.url())).discard()
            origin.serve("/small", Content(size: 10))
            let end = try await loop.start(request(origin.url("/small"))).receive(into: RecordingSink())

            #expect(!end.isConnectionReused)
        }
    }

    @Test func aReceivedExchangeLeavesItsConnectionToTheNext() async throws {
        try await withOrigin { origin, loop in
            _ = try await loop.start(request(origin.url())).receive(into: RecordingSink())
            let end = try await loop.start(request(origin.url())).receive(into: RecordingSink())

            #expect(end.isConnectionReused)
            #expect(origin.connectionCount == 1)
        }
    }

    /// Its first body takes more than two seconds. libcurl counts whole seconds.
    @Test(arguments: [nil, .seconds(1)] as [Duration?])
    func aConnectionThatIsTooOldIsNotUsedAgain(lifetime: Duration?) async throws {
        let slow = Behaviour.pace(.drip(byteCount: 1, every: .milliseconds(250)))
        try await withOrigin(Content(size: 10), script: [slow, .good]) { origin, loop in
            let request = try request(origin.url()) { $0.connectionLifetime = lifetime }
            _ = try await loop.start(request).receive(into: RecordingSink())
            let end = try await loop.start(request).receive(into: RecordingSink())

            #expect(end.isConnectionReused == (lifetime == nil))
        }
    }

    @Test func anUnreferencedExchangeIsDiscarded() async throws {
        try await withOrigin(Self.large) { origin, loop in
            _ = try await loop.start(request(origin.url()))
            origin.serve("/small", Content(size: 10))
            let end = try await loop.start(request(origin.url("/small"))).receive(into: RecordingSink())

            #expect(end.bytesReceived == 10)
        }
    }

    @Test func anUnreferencedLoopDropsItsTransfers() async throws {
        let origin = Origin(Self.large)
        weak var abandoned: TransferLoop?
        do {
            let loop = TransferLoop()
            abandoned = loop
            _ = try await loop.start(request(origin.url()))
        }
        try await poll("the loop is freed", because: .release) { abandoned == nil }
        origin.stop()
    }

    @Test func cancellingTheTaskEndsTheWaitForAHead() async throws {
        try await withOrigin(script: [.pace(.stallBeforeHead(until: Signal()))]) { origin, loop in
            let task = Task { try await loop.start(request(origin.url())).head }
            await origin.requests(atLeast: 1)
            task.cancel()

            #expect(await curlCode { _ = try await task.value } == .aborted)
        }
    }

    @Test func cancellingTheTaskEndsTheWaitForABody() async throws {
        try await withOrigin(script: [.pace(.stall(after: 10, until: Signal()))]) { origin, loop in
            let sink = RecordingSink()
            let task = Task { try await loop.start(request(origin.url())).receive(into: sink) }
            await sink.offers.wait()
            task.cancel()

            #expect(await curlCode { _ = try await task.value } == .aborted)
        }
    }

    @Test func aCancelledTaskStartsNothing() async throws {
        try await withOrigin { origin, loop in
            let isReleased = Signal()
            let task = Task {
                await isReleased.wait()
                return try await loop.start(request(origin.url())).head
            }
            task.cancel()
            isReleased.fire()

            #expect(await curlCode { _ = try await task.value } == .aborted)
            #expect(origin.requests.isEmpty)
        }
    }

    @Test func shutdownFailsWhatIsInFlightAndWhatComesLater() async throws {
        try await withOrigin(script: [.pace(.stallBeforeHead(until: Signal()))]) { origin, loop in
            let task = Task { try await loop.start(request(origin.url())).head }
            await origin.requests(atLeast: 1)
            await loop.shutdown()

            #expect(await curlCode { _ = try await task.value } == .aborted)
            #expect(await curlCode { _ = try await loop.start(request(origin.url())) } == .aborted)
        }
    }

    @Test func aBodyThatTakesTooLongTimesOut() async throws {
        try await withOrigin(script: [.pace(.stall(after: 10, until: Signal()))]) { origin, loop in
            let exchange = try await loop.start(request(origin.url()) { $0.totalTimeout = .milliseconds(300) })

            #expect(await curlCode { _ = try await exchange.receive(into: RecordingSink()) } == .timedOut)
        }
    }

    @Test func aNameThatDoesNotExistSpoilsNoLaterTransfer() async throws {
        let origin = Origin()
        defer { origin.stop() }
        let loop = TransferLoop()

        for _ in 0..<3 {
            await #expect(throws: CurlError.self) {
                _ = try await loop.start(
                    try #require(TransferRequest(to: GivenURL(parsing: "http://nosuch.invalid/").url))
                )
            }
            let exchange = try await loop.start(try #require(TransferRequest(to: GivenURL(parsing: origin.url()).url)))

            #expect(exchange.head.status == 200)
        }
    }
}

/// Connections that do not come about.
struct ConnectTests {
    @Test func aPortThatIsSilentTimesOut() async throws {
        let silent = FullPort()
        let loop = TransferLoop()

        let code = await curlCode {
            _ = try await loop.start(
                request("http://127.0.0.1:\(silent.port)/") { $0.connectTimeout = .milliseconds(100) }
            )
        }

        #expect(code == .timedOut)
        await loop.shutdown()
    }

    /// The origin reads what it is sent and waits for more.
    @Test func aHandshakeThatIsNotAnsweredTimesOut() async throws {
        try await withOrigin { origin, loop in
            let code = await curlCode {
                _ = try await loop.start(
                    request("https://127.0.0.1:\(origin.port)/") { $0.connectTimeout = .milliseconds(100) }
                )
            }

            #expect(code == .timedOut)
            #expect(origin.requests.isEmpty)
        }
    }
}
