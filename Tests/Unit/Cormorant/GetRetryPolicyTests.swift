import Core
import Testing
import TransferRules

@testable import Application
@testable import cormorant

@Suite
struct GetRetryPolicyTests {
    private let start = Timestamp(milliseconds: 1_000_000)
    private let policy = GetRetryPolicy(retryFor: .seconds(900), random: { 0.5 })

    private func decide(
        _ failure: TransferFailure,
        madeProgress: Bool = false,
        hasBytes: Bool = false,
        after elapsed: Duration = .zero
    ) -> RetryDecision {
        var history = GetHistory(at: start)
        history.record(failure, madeProgress: madeProgress, at: start)
        return policy.decide(failure, history, hasDurableBytes: hasBytes, now: start + elapsed)
    }

    @Test(arguments: [DownloadError.Code.connectFailed, .timeout, .lowSpeed])
    func aNetworkThatFailsIsTriedAgainUntilTheTimeIsUp(_ code: DownloadError.Code) {
        let failure = TransferFailure(DownloadError(code, message: ""))

        #expect(decide(failure, after: .seconds(899)) == .retry(after: .seconds(1), startsOver: false))
        #expect(decide(failure, after: .seconds(900)) == .fail(failure.error))
    }

    @Test
    func aMissingFileIsNotWaitedForUnlessItWasThereBefore() {
        let failure = TransferFailure(DownloadError(httpStatus: 404))

        #expect(decide(failure) == .fail(failure.error))
        #expect(decide(failure, hasBytes: true) != .fail(failure.error))
    }

    @Test
    func anUnknownNameIsNotWaitedForUnlessItWasKnownBefore() {
        let failure = TransferFailure(
            DownloadError(.dnsFailure, message: ""),
            failureClass: .transient(.unknownName)
        )

        #expect(decide(failure) == .fail(failure.error))
        #expect(decide(failure, hasBytes: true) != .fail(failure.error))
        #expect(decide(failure, hasBytes: true, after: .seconds(900)) == .fail(failure.error))
    }

    @Test(arguments: [DownloadError.Code.diskFull, .ioError, .authRequired])
    func errorsThatOnlyTheUserCanFixEndAGet(_ code: DownloadError.Code) {
        let failure = TransferFailure(DownloadError(code, message: ""))

        #expect(decide(failure, hasBytes: true) == .fail(failure.error))
    }

    @Test
    func anAttemptThatBroughtBytesIsFollowedAtOnce() {
        let failure = TransferFailure(DownloadError(.connectFailed, message: ""))

        #expect(
            decide(failure, madeProgress: true, hasBytes: true) == .retry(after: .milliseconds(250), startsOver: false)
        )
    }

    @Test
    func noTimeMeansNoSecondAttempt() {
        let withoutRetries = GetRetryPolicy(retryFor: .zero)
        let failure = TransferFailure(DownloadError(.connectFailed, message: ""))
        var history = GetHistory(at: start)
        history.record(failure, madeProgress: true, at: start)

        #expect(withoutRetries.decide(failure, history, hasDurableBytes: true, now: start) == .fail(failure.error))
    }

    @Test(
        arguments: [
            (DownloadError.Code.checksumMismatch, 65), (.connectFailed, 69), (.internal, 70), (.fileExists, 73),
            (.diskFull, 74), (.httpServerError, 76), (.authRequired, 77),
        ] as [(DownloadError.Code, Int32)]
    )
    func aFailureHasItsExitCode(_ code: DownloadError.Code, _ status: Int32) {
        #expect(ExitStatus(DownloadError(code, message: "")).rawValue == status)
    }
}
