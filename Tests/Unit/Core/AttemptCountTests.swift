import Core
import Testing

/// The counts of a download's attempts, on which the limits of retries depend.
@Suite struct AttemptCountTests {
    @Test(arguments: [DownloadError.Code.checksumMismatch, .sourceChanged, .contentDecoding])
    func rejectedFilesCountThoughTheirBytesAreProgress(_ code: DownloadError.Code) {
        var attempts = Download.Attempts()
        var last: DownloadError.Code?
        for next in [code, .connectFailed, code] {
            attempts.record(next, after: last, madeProgress: true)
            last = next
        }

        #expect(attempts.failures(with: code) == 2)
    }

    @Test func lostConnectionsDoNotCountWhileThereIsProgress() {
        var attempts = Download.Attempts()
        for _ in 0..<5 { attempts.record(.connectFailed, after: .connectFailed, madeProgress: true) }

        #expect(attempts.failures(with: .connectFailed) == 1 && attempts.mismatches == 0)
    }
}
