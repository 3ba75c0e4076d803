import Core
import TestSupport
import Testing

@Suite struct WaitingReasonTests {
    private static let now = Timestamp(milliseconds: 1_800_000_000_000)

    private static func download(at machine: DownloadStateMachine) -> Download {
        let url = DownloadURL(text: "https://a.example/f", scheme: "https", host: "a.example", port: 443, path: "/f")
        return with(
            Download(
                id: DownloadID(at: now),
                request: DownloadRequest(url: url),
                state: machine.state,
                times: Download.Times(createdAt: now, deadlineAt: now)
            )
        ) {
            $0.phase = machine.phase
            $0.waitingFor = machine.waitingFor
        }
    }

    private static func text(_ download: Download, _ deferral: QueueDeferral? = nil) -> String? {
        download.waitingReason(deferral) { "at \($0.milliseconds - now.milliseconds)" }
    }

    /// No state in which a download waits is without a sentence, and no other has one.
    @Test(arguments: WaitingFor.allCases)
    func eachWaitHasASentence(_ reason: WaitingFor) {
        let download = Self.download(at: DownloadStateMachine(state: .waiting, waitingFor: reason))
        #expect(Self.text(download)?.hasSuffix(".") == true)
    }

    @Test(arguments: [.queued, .running, .paused, .completed, .failed, .cancelled] as [DownloadState])
    func aDownloadThatDoesNotWaitHasNoWaitingReason(_ state: DownloadState) {
        #expect(Self.text(Self.download(at: DownloadStateMachine(state: state))) == nil)
    }

    @Test func aRetryNamesItsCauseItsNumberAndItsInstant() {
        var download = Self.download(at: DownloadStateMachine(state: .waiting, waitingFor: .retry))
        download.attempts.count = 3
        download.times.nextAttemptAt = Self.now + .seconds(9)
        let error = DownloadError(.httpServerError, message: "busy", httpStatus: 500)
        download.error = DownloadFailure(error: error, isRetried: true, attempt: 3, at: Self.now)

        let expected = "Attempt 3 failed with http_server_error (HTTP 500) at at 0; next try at 9000."
        #expect(Self.text(download) == expected)
    }

    @Test func aHostThatAnsweredIsNamedWithItsAnswer() {
        var download = Self.download(at: DownloadStateMachine(state: .waiting, waitingFor: .host))
        download.times.nextAttemptAt = Self.now + .seconds(5)
        let error = DownloadError(.httpClientError, message: "busy", httpStatus: 429)
        download.error = DownloadFailure(error: error, isRetried: true, attempt: 1, at: Self.now)

        #expect(Self.text(download) == "a.example:443 answered 429 at at 0; next try at 5000.")
    }

    @Test func aPauseOfAllSaysUntilWhen() {
        let download = Self.download(at: DownloadStateMachine(state: .queued))
        #expect(Self.text(download, .pause(until: nil)) == "All downloads are paused by a client.")
        #expect(Self.text(download, .pause(until: Self.now)) == "All downloads are paused until at 0.")
        let paused = Self.download(at: DownloadStateMachine(state: .paused))
        #expect(Self.text(paused, .pause(until: nil)) == nil)
    }

    @Test func aFullDiskIsTheReasonInTheQueueToo() {
        let queued = Self.download(at: DownloadStateMachine(state: .queued))
        let waiting = Self.download(at: DownloadStateMachine(state: .waiting, waitingFor: .space))
        #expect(Self.text(queued, .space) == Self.text(waiting))
        #expect(Self.text(queued, .space)?.contains("free space") == true)
    }

    @Test func aHostSaysWhatLedThere() {
        let download = Self.download(at: DownloadStateMachine(state: .queued))
        var host = HostSnapshot(
            state: .throttled,
            connectionLimit: 1,
            maxConnectionLimit: 8,
            openConnections: 1,
            heldUntil: Self.now + .seconds(60),
            reason: .retryAfter
        )
        host.events = [HostEvent(at: Self.now, cause: .unavailable, connectionLimit: 1)]

        let expected = "a.example:443 asked for a pause after a 503 at at 0; next try at 60000."
        #expect(Self.text(download, .host(host)) == expected)
    }
}
