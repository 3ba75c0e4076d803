import Core
import Testing

struct AttemptsTests {
    @Test(
        arguments: [
            ([(.timeout, false)], 1, 1),
            ([(.timeout, false), (.timeout, false), (.timeout, false)], 3, 3),
            ([(.timeout, false), (.timeout, false), (.dnsFailure, false)], 3, 1),
            ([(.timeout, false), (.timeout, false), (.timeout, true)], 0, 1),
            ([(.timeout, true), (.timeout, false)], 1, 2),
        ] as [([(DownloadError.Code, Bool)], Int, Int)]
    )
    func failuresInARowAreCountedUntilOneBringsBytes(
        _ failures: [(DownloadError.Code, Bool)],
        _ withoutProgress: Int,
        _ same: Int
    ) {
        var attempts = Download.Attempts()
        var last: DownloadError.Code?
        for (code, madeProgress) in failures {
            attempts.note(code, after: last, madeProgress: madeProgress)
            last = code
        }

        #expect(attempts.withoutProgress == withoutProgress)
        #expect(attempts.sameFailures == same)
    }

    @Test func everyWrongFileCountsWhateverCameInBetween() {
        var attempts = Download.Attempts()
        attempts.note(.checksumMismatch, after: nil, madeProgress: true)
        attempts.note(.timeout, after: .checksumMismatch, madeProgress: true)
        attempts.note(.checksumMismatch, after: .timeout, madeProgress: true)

        #expect(attempts.failures(with: .checksumMismatch) == 2)
        #expect(attempts.failures(with: .timeout) == 1)
    }
}
