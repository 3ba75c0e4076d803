import Core
import TestSupport
import Testing
import TransferRules

@testable import Transfer

struct PendingRequestsTests {
    private let time = ManualTime()

    private func reading(received: Int64, roundTrip: Duration = .milliseconds(1)) -> RampSample {
        RampSample(
            at: .zero,
            receivedBytes: received,
            connections: 1,
            remainingBytes: 1,
            roundTrip: roundTrip,
            ceiling: 4
        )
    }

    /// A request that is answered when the signal fires, or stopped.
    private func answer(
        _ requests: PendingRequests,
        asked: Signal = Signal(),
        at signal: Signal
    ) -> Task<Int?, any Error> {
        Task {
            try await requests.answer(for: ConnectionID(0), received: 0) {
                () async throws(AttemptInterruption) -> Int in
                asked.fire()
                await withTaskCancellationHandler {
                    await signal.wait()
                } onCancel: {
                    signal.fire()
                }
                if Task.isCancelled { throw .stopped }
                return 7
            }
        }
    }

    @Test func whatIsAnsweredInTimeIsNotGivenUp() async throws {
        let (requests, asked, signal) = (PendingRequests(time: time.source), Signal(), Signal())
        let request = answer(requests, asked: asked, at: signal)
        await asked.wait()

        time.advance(by: ConnectionPace.window - .milliseconds(1))
        requests.cancelOverdue(reading(received: 1))
        signal.fire()

        #expect(try await request.value == 7)
    }

    @Test func whatIsOverdueWhileOthersBringBytesIsGivenUp() async throws {
        let (requests, asked) = (PendingRequests(time: time.source), Signal())
        let request = answer(requests, asked: asked, at: Signal())
        await asked.wait()

        time.advance(by: ConnectionPace.window)
        requests.cancelOverdue(reading(received: 1))

        #expect(try await request.value == nil)
    }

    @Test func nothingIsGivenUpWhileNobodyBringsBytes() async throws {
        let (requests, asked, signal) = (PendingRequests(time: time.source), Signal(), Signal())
        let request = answer(requests, asked: asked, at: signal)
        await asked.wait()

        time.advance(by: .seconds(59))
        requests.cancelOverdue(reading(received: 0))
        signal.fire()

        #expect(try await request.value == 7)
    }

    @Test func aLongRoundTripIsWaitedForEightTimes() async throws {
        let (requests, asked, signal) = (PendingRequests(time: time.source), Signal(), Signal())
        let request = answer(requests, asked: asked, at: signal)
        await asked.wait()

        time.advance(by: .seconds(8) - .milliseconds(1))
        requests.cancelOverdue(reading(received: 1, roundTrip: .seconds(1)))
        signal.fire()

        #expect(try await request.value == 7)
    }

    @Test func aConnectionThatWasGivenUpIsGivenTwiceTheTimeAfterwards() async throws {
        let (requests, first, second, signal) = (PendingRequests(time: time.source), Signal(), Signal(), Signal())
        let givenUp = answer(requests, asked: first, at: Signal())
        await first.wait()
        time.advance(by: ConnectionPace.window)
        requests.cancelOverdue(reading(received: 1))
        #expect(try await givenUp.value == nil)

        let request = answer(requests, asked: second, at: signal)
        await second.wait()
        time.advance(by: ConnectionPace.window * 2 - .milliseconds(1))
        requests.cancelOverdue(reading(received: 2))
        signal.fire()

        #expect(try await request.value == 7)
    }

    @Test func whoeverStopsADownloadStopsItsRequests() async throws {
        let (requests, asked) = (PendingRequests(time: time.source), Signal())
        let request = answer(requests, asked: asked, at: Signal())
        await asked.wait()

        request.cancel()

        await #expect(throws: AttemptInterruption.self) { try await request.value }
    }
}
