import TestSupport
import Testing

@testable import Curl

/// Servers that respond before the end of the body, and servers that stop reading it.
@Suite(.hangLimit)
struct UploadResponseTests {
    // MARK: - Responses before the end of the body

    @Test(arguments: [401, 403, 413, 503], [UploadServer.Step.End.kept, .closed])
    func anEarlyRefusalIsTheResponse(_ status: Int, _ end: UploadServer.Step.End) async throws {
        let step = UploadServer.Step {
            $0.byteCount = 1000
            $0.response = UploadServer.response(status)
            $0.end = end
        }
        try await withUploadServer([step, .init()]) { server, loop in
            let exchange = try await loop.start(upload(server, largeBody()))
            let sink = RecordingSink()
            _ = try await exchange.receive(into: sink)

            #expect(exchange.head.status == status)
            #expect(sink.bytes == Array("status \(status)".utf8))
            // Its connection cannot be used again: the server waits for the rest of the body there.
            _ = try await loop.start(upload(server, UploadBody(bytes: [1]))).receive(into: RecordingSink())
            #expect(server.requests.map(\.connection) == [0, 1])
            #expect(server.requests[0].body.count < largeContent.size)
        }
    }

    @Test func anEarlySuccessFailsTheUploadIfTheRestIsNotSent() async throws {
        let step = UploadServer.Step {
            $0.byteCount = 1000
            $0.response = UploadServer.response(200, fields: ["Connection: close"])
            $0.end = .closed
        }
        try await withUploadServer([step]) { server, loop in
            let exchange = try await loop.start(upload(server, largeBody()))

            #expect(exchange.head.status == 200)
            #expect(await curlCode { _ = try await exchange.receive(into: RecordingSink()) } == .uploadIncomplete)
        }
    }

    @Test func theRestOfTheBodyIsSentAfterAnEarlySuccess() async throws {
        let step = UploadServer.Step { $0.byteCount = 1000 }
        try await withUploadServer([step]) { server, loop in
            let exchange = try await loop.start(upload(server, largeBody()))
            _ = try await exchange.receive(into: RecordingSink())

            let request = try await server.requests("an end") { $0.first?.isOver == true }[0]
            expectBytes(request.body, largeContent)
        }
    }

    // MARK: - Servers that do not read

    @Test func aServerThatDoesNotReadHoldsUpNoOtherTransfer() async throws {
        let isRead = Signal()
        try await withUploadServer([.init { ($0.byteCount, $0.pause) = (0, isRead) }]) { server, loop in
            let origin = Origin()
            defer { origin.stop() }
            async let sent = loop.start(upload(server, largeBody())).receive(into: RecordingSink())
            try await server.requests("a request") { !$0.isEmpty }
            let end = try await loop.start(request(origin.url())).receive(into: RecordingSink())
            #expect(end.bytesReceived == 1000)
            isRead.fire()

            _ = try await sent
            let request = try await server.requests("an end") { $0.first?.isOver == true }[0]
            expectBytes(request.body, largeContent)
        }
    }

    @Test func aServerThatStopsReadingIsGivenUpByTheSpeedLimit() async throws {
        try await withUploadServer([.init { ($0.byteCount, $0.pause) = (1000, Signal()) }]) { server, loop in
            let body = try largeBody()
            let code = await curlCode {
                _ = try await loop.start(
                    upload(server, body) { $0.lowSpeedLimit = .init(bytesPerSecond: 1 << 30, window: .seconds(1)) }
                )
            }

            #expect(code == .timedOut)
        }
    }

    @Test func aServerThatStopsReadingIsGivenUpByTheLimitForTheHead() async throws {
        try await withUploadServer([.init { ($0.byteCount, $0.pause) = (1000, Signal()) }]) { server, loop in
            let body = try largeBody()
            let code = await curlCode {
                _ = try await loop.start(upload(server, body) { $0.headTimeout = .milliseconds(500) })
            }

            #expect(code == .headTimeout)
        }
    }

    /// A body that takes longer than the limit for the head is sent to its end.
    @Test func bytesThatLeaveRestartTheClockOfTheHead() async throws {
        let isRead = Signal()
        let step = UploadServer.Step { ($0.byteCount, $0.pause, $0.response) = (1000, isRead, nil) }
        try await withUploadServer([step]) { server, loop in
            let body = try largeBody()
            let task = Task { try await loop.start(upload(server, body)).head }
            try await server.requests("some bytes") { $0.first?.body.count ?? 0 >= 1000 }
            let start = ContinuousClock.now
            isRead.fire()

            try await poll("a later deadline", because: .counter) {
                await loop.headDeadline.map { $0 > start + .seconds(600) } == true
            }
            task.cancel()
            #expect(await curlCode { _ = try await task.value } == .aborted)
        }
    }

    @Test func aServerThatDoesNotAnswerTheWholeBodyIsGivenUpByTheLimitForTheHead() async throws {
        try await withUploadServer([.init { $0.pause = Signal() }]) { server, loop in
            let code = await curlCode {
                _ = try await loop.start(
                    upload(server, UploadBody(bytes: [1])) { $0.headTimeout = .milliseconds(500) }
                )
            }

            #expect(code == .headTimeout)
        }
    }

    @Test func cancellingTheTaskEndsAnUploadThatIsHeldUp() async throws {
        let isRead = Signal()
        try await withUploadServer([.init { ($0.byteCount, $0.pause) = (1000, isRead) }]) { server, loop in
            let body = try largeBody()
            let task = Task { try await loop.start(upload(server, body)).head }
            try await server.requests("some bytes") { $0.first?.body.count ?? 0 >= 1000 }
            task.cancel()

            #expect(await curlCode { _ = try await task.value } == .aborted)
            isRead.fire()
            let request = try await server.requests("an end") { $0.first?.isOver == true }[0]
            #expect(request.body.count < largeContent.size)
        }
    }
}

extension TransferLoop {
    /// The deadline of its only transfer.
    fileprivate var headDeadline: ContinuousClock.Instant? { transfers.values.first?.headDeadline }
}
