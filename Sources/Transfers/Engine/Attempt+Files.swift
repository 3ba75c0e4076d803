import Curl
import Model

/// What is different with a server of files: FTP and SFTP.
extension AttemptInterruption {
    /// The body broke off.
    static func interrupted(by error: CurlError) -> Self {
        error.code == .aborted ? .stopped : .failed(TransferFailure(error, stage: .body))
    }
}

extension Attempt {
    /// Whether the file comes from one. It has a single source then.
    var isFile: Bool { download.request.url.isFile }

    /// How the server is taken at its word on where its bytes begin.
    var fileTrust: FileTrust {
        let scheme = URLScheme(download.request.url.scheme)
        return scheme.map { FileTrust($0, expectsDigest: !expected.digests.isEmpty) } ?? .never
    }

    /// Looks whether a failure is an answer: the file ends before the byte that was asked for, or the server cannot
    /// begin there.
    ///
    /// - Returns: Whether to ask for the whole file, and keep the bytes at hand until it comes.
    func goOn(after interruption: AttemptInterruption, _ asked: RequestAsked) async throws(AttemptInterruption) -> Bool
    {
        guard isFile, case .failed(let failure, _) = interruption else { throw interruption }
        switch FileGate.judge(asked: asked, failure: failure) {
        case .restart(let reason, _):
            try await restart(reason.rawValue, isChange: reason.isChange)
            return false
        case .askPlain:
            try await noteHostRefusesRanges()
            return true
        default:
            throw .failed(FileGate.settled(failure, hasBytes: stored.durableBytes > 0))
        }
    }

    /// Whether a whole file needs no further word. Between the server's word on the file and the first byte after the
    /// ones at hand it may have been replaced: a file that was put together is asked about once more.
    func isProven(_ answer: OriginClient.Answer, _ asked: RequestAsked) -> Bool {
        guard answer.file != nil, let range = asked.range, range.first < stored.durableBytes else { return true }
        segments = [Segment(index: 0, start: 0, end: stored.durableBytes, durableEnd: stored.durableBytes)]
        return false
    }
}
