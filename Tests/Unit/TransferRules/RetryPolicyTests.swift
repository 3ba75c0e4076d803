import Core
import HTTPFields
import TestSupport
import Testing

@testable import TransferRules

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy()

    private func retryAfter(_ seconds: Int) throws -> RetryAfter {
        let now = HTTPDate(secondsSinceEpoch: 0)
        return try #require(RetryAfter(String(seconds), responseDate: nil, now: now))
    }

    @Test(arguments: [0, 1, 2, 3, 8, 9, 63, 64, 65, 1000, 1_000_000, Int.max])
    func aDelayStaysWithinItsBounds(attempts: Int) {
        var generator = SplitMix64(seed: UInt64(attempts))
        for _ in 0..<1000 {
            let random = Double.random(in: 0..<1, using: &generator)
            let delay = policy.delay(attemptsWithoutProgress: attempts, random: random)

            #expect(delay >= .milliseconds(250) && delay <= .seconds(300))
        }
    }

    @Test(
        arguments: [
            (0, 0.99, .milliseconds(250)), (1, 0, .milliseconds(250)), (1, 0.5, .seconds(1)), (2, 0.5, .seconds(2)),
            (8, 0.5, .seconds(128)), (9, 0.5, .seconds(150)), (1_000_000, 0.5, .seconds(150)),
            (3, .nan, .milliseconds(250)), (3, 7, .seconds(8)), (-1, 0.5, .milliseconds(250)),
        ] as [(Int, Double, Duration)]
    )
    func theWindowDoublesUpToTheCap(attempts: Int, random: Double, delay: Duration) {
        #expect(policy.delay(attemptsWithoutProgress: attempts, random: random) == delay)
    }

    @Test func theOriginsWishIsAMinimumAndMayExceedTheCap() throws {
        let hour = try retryAfter(3600)
        let second = try retryAfter(1)

        #expect(policy.delay(attemptsWithoutProgress: 0, random: 0, retryAfter: hour) == .seconds(3600))
        #expect(policy.delay(attemptsWithoutProgress: 8, random: 0.5, retryAfter: second) == .seconds(128))
    }

    @Test func aCutBodyThatBroughtBytesIsRetriedAtOnce() {
        let failure = TransferFailure(curlCode: 18, stage: .body)
        let history = AttemptHistory(attemptsWithoutProgress: 0, hasDurableBytes: true)

        let decision = policy.decide(failure, history: history, random: 0.9)

        #expect(decision == .retry(after: .milliseconds(250), startsOver: false))
    }

    @Test func aNetworkFailureIsBoundedByTimeAlone() {
        let failure = TransferFailure(curlCode: 7, stage: .header)
        var history = AttemptHistory(attemptsWithoutProgress: 5000, sameFailures: 5000)
        history.timeWithoutProgress = .seconds(86_399)

        #expect(
            policy.decide(failure, history: history, random: 0.5) == .retry(after: .seconds(150), startsOver: false)
        )
        history.timeWithoutProgress = .seconds(86_400)
        #expect(policy.decide(failure, history: history, random: 0.5) == .fail(failure.error))
    }

    @Test func aNameThatDoesNotExistIsGivenUpAfterAnHour() {
        let unknown = TransferFailure(curlCode: 6, stage: .header, nameDoesNotExist: true)
        let unresolved = TransferFailure(curlCode: 6, stage: .header)
        let history = AttemptHistory(attemptsWithoutProgress: 20, timeWithoutProgress: .seconds(3600))

        #expect(policy.decide(unknown, history: history, random: 0) == .fail(unknown.error))
        #expect(policy.decide(unresolved, history: history, random: 0) != .fail(unresolved.error))
    }

    @Test(
        arguments: [
            (503, [503], true, true), (503, [], true, false), (429, [], false, false), (403, [403], true, true),
            (404, [404], true, true), (418, [418], true, true), (418, [], false, false), (501, [], true, false),
        ] as [(Int, [Int], Bool, Bool)]
    )
    func theStatusesToRetryAreTheSetting(status: Int, list: [Int], first: Bool, fourth: Bool) {
        var policy = policy
        policy.retryStatuses = HTTPStatuses(list)
        let failure = TransferFailure(DownloadError(httpStatus: status))
        let isRetried = [1, 4].map { failures in
            let history = AttemptHistory(attemptsWithoutProgress: failures, sameFailures: failures)
            guard case .retry = policy.decide(failure, history: history, random: 0) else { return false }
            return true
        }

        #expect(isRetried == [first, fourth])
    }

    @Test func aRequestMayHaveItsOwnRules() {
        var request = DownloadRequest(url: "http://a.example/")
        request.maxAttempts = 7
        request.retry.giveUpAfter = WholeSeconds(60)
        request.retry.delay = WholeSeconds(400)
        request.retry.statuses = HTTPStatuses([418])
        let changed = policy.applying(request)

        #expect(changed.giveUpAfter == .seconds(60) && changed.maxAttempts == 7)
        #expect(changed.base == .seconds(400) && changed.cap == .seconds(400))
        #expect(changed.retryStatuses.sorted == [418])
        #expect(policy.applying(DownloadRequest(url: "http://a.example/")) == policy)
    }

    @Test func anUnknownNameIsNotRetriedLongerThanTheSetting() {
        var policy = policy
        policy.giveUpAfter = .seconds(60)
        let unknown = TransferFailure(curlCode: 6, stage: .header, nameDoesNotExist: true)
        let history = AttemptHistory(attemptsWithoutProgress: 2, timeWithoutProgress: .seconds(60))

        #expect(policy.decide(unknown, history: history, random: 0) == .fail(unknown.error))
    }

    @Test func maxAttemptsCountsAttemptsWithoutProgress() {
        let limited = RetryPolicy(maxAttempts: 3)
        let failure = TransferFailure(curlCode: 7, stage: .header)
        let third = AttemptHistory(attemptsWithoutProgress: 3)
        let second = AttemptHistory(attemptsWithoutProgress: 2)

        #expect(limited.decide(failure, history: third, random: 0) == .fail(failure.error))
        #expect(limited.decide(failure, history: second, random: 0) != .fail(failure.error))
    }

    @Test func aRetryThatWouldMissTheDeadlineFailsNow() throws {
        let failure = TransferFailure(DownloadError(httpStatus: 503), retryAfter: try retryAfter(3600))
        let history = AttemptHistory(attemptsWithoutProgress: 1, timeUntilDeadline: .seconds(3600))

        guard case .fail(let error) = policy.decide(failure, history: history, random: 0) else {
            Issue.record("expected a failure")
            return
        }
        #expect(error.code == .deadlineExceeded)
        #expect(error.httpStatus == 503)
    }

    @Test(arguments: [
        TransferFailure(DownloadError(httpStatus: 404)), TransferFailure(curlCode: 78, stage: .header),
    ])
    func aMissingFileIsRetriedOnceAfterHalfAMinute(failure: TransferFailure) {
        let first = AttemptHistory(attemptsWithoutProgress: 1, sameFailures: 1)
        let second = AttemptHistory(attemptsWithoutProgress: 2, sameFailures: 2)

        #expect(failure.error.code == .fileNotFound)
        #expect(policy.decide(failure, history: first, random: 0) == .retry(after: .seconds(30), startsOver: false))
        #expect(policy.decide(failure, history: second, random: 0) == .fail(failure.error))
    }

    @Test(arguments: [0, 1, 5])
    func retriesOfAMissingFileAreTheSetting(retries: Int) {
        let failure = TransferFailure(DownloadError(httpStatus: 404))
        var policy = policy
        policy.notFoundRetries = retries
        let decisions = (1...6).map { failures in
            let history = AttemptHistory(attemptsWithoutProgress: failures, sameFailures: failures)
            return policy.decide(failure, history: history, random: 0)
        }

        #expect(decisions.count { $0 == .retry(after: .seconds(30), startsOver: false) } == retries)
        #expect(decisions.count { $0 == .fail(failure.error) } == 6 - retries)
    }

    @Test func credentialsAreWaitedForOnlyWhereBytesWouldBeLost() {
        let failure = TransferFailure(DownloadError(httpStatus: 403))
        let empty = AttemptHistory(attemptsWithoutProgress: 1)
        let begun = AttemptHistory(attemptsWithoutProgress: 1, hasDurableBytes: true)

        #expect(policy.decide(failure, history: empty, random: 0) == .fail(failure.error))
        #expect(policy.decide(failure, history: begun, random: 0) == .wait(for: .credentials))
    }

    @Test func aWrongDigestStartsOverOnce() {
        let failure = TransferFailure(DownloadError(.checksumMismatch, message: "The digest differs."))
        let first = AttemptHistory(attemptsWithoutProgress: 0, sameFailures: 1)
        let second = AttemptHistory(attemptsWithoutProgress: 0, sameFailures: 2)

        #expect(
            policy.decide(failure, history: first, random: 0) == .retry(after: .milliseconds(250), startsOver: true)
        )
        #expect(policy.decide(failure, history: second, random: 0) == .fail(failure.error))
    }

    @Test func aDiskThatIsFullOrFailingIsWaitedFor() {
        let full = TransferFailure(DownloadError(.diskFull, message: "No space."))
        let failing = TransferFailure(DownloadError(.ioError, message: "EIO."))
        let history = AttemptHistory(attemptsWithoutProgress: 99, timeWithoutProgress: .seconds(1_000_000))

        #expect(policy.decide(full, history: history, random: 0) == .wait(for: .space))
        #expect(policy.decide(failing, history: history, random: 0) == .wait(for: .io))
    }
}

@Suite struct FailureClassTests {
    @Test(
        arguments: [
            (400, .permanent), (401, .credentials), (403, .credentials), (404, .transient(.notFound)),
            (407, .credentials), (408, .transient(.untilGivenUp)), (410, .permanent), (412, .permanent),
            (416, .permanent), (425, .transient(.untilGivenUp)), (429, .transient(.untilGivenUp)), (451, .permanent),
            (500, .transient(.untilGivenUp)), (501, .transient(.retries(2))), (502, .transient(.untilGivenUp)),
            (503, .transient(.untilGivenUp)), (504, .transient(.untilGivenUp)), (505, .transient(.retries(2))),
            (508, .transient(.retries(2))), (511, .transient(.middlebox)), (520, .transient(.untilGivenUp)),
            (524, .transient(.untilGivenUp)), (525, .transient(.retries(2))), (599, .transient(.retries(2))),
        ] as [(Int, FailureClass)]
    )
    func aStatusHasItsClass(_ status: Int, failureClass: FailureClass) {
        #expect(FailureClass(httpStatus: status) == failureClass)
        #expect(DownloadError(httpStatus: status).failureClass == failureClass)
    }

    @Test(
        arguments: [
            (1, .protocolForbidden, .permanent), (3, .internal, .permanent),
            (5, .dnsFailure, .transient(.untilGivenUp)), (6, .dnsFailure, .transient(.untilGivenUp)),
            (7, .connectFailed, .transient(.untilGivenUp)), (8, .badResponse, .transient(.retries(2))),
            (16, .connectFailed, .transient(.untilGivenUp)), (18, .connectFailed, .transient(.untilGivenUp)),
            (23, .ioError, .io), (27, .internal, .transient(.untilGivenUp)),
            (28, .lowSpeed, .transient(.untilGivenUp)), (33, .rangeUnsupported, .startOver(retries: 3)),
            (35, .tlsFailed, .transient(.untilGivenUp)), (47, .tooManyRedirects, .permanent),
            (52, .connectFailed, .transient(.untilGivenUp)), (55, .connectFailed, .transient(.untilGivenUp)),
            (56, .connectFailed, .transient(.untilGivenUp)), (58, .tlsFailed, .permanent), (60, .tlsFailed, .permanent),
            (61, .contentDecoding, .startOver(retries: 2)), (63, .tooLarge, .permanent),
            (80, .tlsFailed, .transient(.untilGivenUp)), (92, .connectFailed, .transient(.untilGivenUp)),
            (97, .connectFailed, .transient(.untilGivenUp)), (98, .tlsFailed, .permanent),
            (43, .internal, .permanent), (45, .connectFailed, .transient(.untilGivenUp)),
            (82, .tlsFailed, .permanent), (99, .transferFailed, .transient(.untilGivenUp)),
            (100, .transferFailed, .transient(.untilGivenUp)), (101, .tlsFailed, .permanent),
            (9999, .transferFailed, .transient(.untilGivenUp)),
        ] as [(Int, DownloadError.Code, FailureClass)]
    )
    func aTransportCodeHasItsClass(_ curlCode: Int, code: DownloadError.Code, failureClass: FailureClass) {
        let failure = TransferFailure(curlCode: curlCode, stage: .body)

        #expect(failure.error.code == code)
        #expect(failure.failureClass == failureClass)
        #expect(failure.error.curlCode == curlCode)
    }

    @Test func theStageTellsTimeoutsAndBrokenHeadsApart() {
        #expect(TransferFailure(curlCode: 28, stage: .header).error.code == .timeout)
        #expect(TransferFailure(curlCode: 56, stage: .header).error.code == .connectFailed)
        #expect(TransferFailure(curlCode: 61, stage: .header).failureClass == .transient(.retries(2)))
        #expect(TransferFailure(curlCode: 100, stage: .header).error.code == .badResponse)
    }

    /// The table has each code of libcurl up to version 8.22 once.
    @Test func everyCodeOfLibcurlIsInTheTable() {
        #expect(CurlResult.all.map(\.code) == Array(1...101))
        #expect(Set(CurlResult.all.map(\.name)).count == CurlResult.all.count)
    }

    @Test(arguments: 1...101) func onlyAFaultOfThisProgramIsInternal(_ code: Int) {
        for stage in [TransferFailure.Stage.header, .body] {
            let failure = TransferFailure(curlCode: code, stage: stage)

            #expect((failure.error.code == .internal) == [3, 4, 27, 43, 48, 49, 93].contains(code))
        }
    }

    @Test(arguments: [102, 115, 126, -1, 9999]) func anUnknownCodeIsRetriedLikeALostConnection(_ code: Int) {
        let failure = TransferFailure(curlCode: code, stage: .body)

        #expect(failure.error.code == .transferFailed && failure.error.message.contains("\(code)"))
        #expect(failure.failureClass == TransferFailure(curlCode: 56, stage: .body).failureClass)
    }

    @Test func aLostConnectionBeforeTheResponseIsAFaultOfHTTP2() {
        for code in [52, 55, 56] {
            var failure = TransferFailure(curlCode: code, stage: .header)
            #expect(!failure.isFaultOfHTTP2(at: .header))
            failure.isOverHTTP2 = true

            #expect(failure.isFaultOfHTTP2(at: .header) && !failure.isFaultOfHTTP2(at: .body))
        }
    }

    @Test func everyCodeIsSnakeCase() {
        for code in DownloadError.Code.allCases {
            #expect(code.rawValue.utf8.allSatisfy { $0 == UInt8(ascii: "_") || (0x61...0x7A).contains($0) })
        }
    }
}
