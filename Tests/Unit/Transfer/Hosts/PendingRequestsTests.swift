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
    private func send(
        _ requests: PendingRequests,
        started: Signal = Signal(),
        at signal: Signal
    ) -> Task<Int?, any Error> {
        Task {
            try await requests.response(for: ConnectionID(0), received: 0) {
                () async throws(AttemptInterruption) -> Int in
                started.fire()
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

    @Test func aRequestAnsweredInTimeIsNotAbandoned() async throws {
        let (requests, started, signal) = (PendingRequests(time: time.source), Signal(), Signal())
        let request = send(requests, started: started, at: signal)
        await started.wait()

        time.advance(by: ConnectionPace.window - .milliseconds(1))
        requests.cancelOverdue(reading(received: 1))
        signal.fire()

        #expect(try await request.value == 7)
    }

    @Test func anOverdueRequestIsAbandonedWhileOthersReceiveBytes() async throws {
        let (requests, started) = (PendingRequests(time: time.source), Signal())
        let request = send(requests, started: started, at: Signal())
        await started.wait()

        time.advance(by: ConnectionPace.window)
        requests.cancelOverdue(reading(received: 1))

        #expect(try await request.value == nil)
    }

    @Test func noRequestIsAbandonedWhileNoneReceivesBytes() async throws {
        let (requests, started, signal) = (PendingRequests(time: time.source), Signal(), Signal())
        let request = send(requests, started: started, at: signal)
        await started.wait()

        time.advance(by: .seconds(59))
        requests.cancelOverdue(reading(received: 0))
        signal.fire()

        #expect(try await request.value == 7)
    }

    @Test func aLongRoundTripIsWaitedForEightTimes() async throws {
        let (requests, started, signal) = (PendingRequests(time: time.source), Signal(), Signal())
        let request = send(requests, started: started, at: signal)
        await started.wait()

        time.advance(by: .seconds(8) - .milliseconds(1))
        requests.cancelOverdue(reading(received: 1, roundTrip: .seconds(1)))
        signal.fire()

        #expect(try await request.value == 7)
    }

    @Test func aConnectionThatWasGivenUpIsGivenTwiceTheTimeAfterwards() async throws {
        let (requests, first, second, signal) = (PendingRequests(time: time.source), Signal(), Signal(), Signal())
        let givenUp = send(requests, started: first, at: Signal())
        await first.wait()
        time.advance(by: ConnectionPace.window)
        requests.cancelOverdue(reading(received: 1))
        #expect(try await givenUp.value == nil)

        let request = send(requests, started: second, at: signal)
        await second.wait()
        time.advance(by: ConnectionPace.window * 2 - .milliseconds(1))
        requests.cancelOverdue(reading(received: 2))
        signal.fire()

        #expect(try await request.value == 7)
    }

    @Test func stoppingADownloadStopsItsRequests() async throws {
        let (requests, started) = (PendingRequests(time: time.source), Signal())
        let request = send(requests, started: started, at: Signal())
        await started.wait()

        request.cancel()

        await #expect(throws: AttemptInterruption.self) { try await request.value }
    }
}
