/// What is to be done with a response whose head has arrived.
///
/// It is indirect for the sake of memory: whatever waits with one in hand would hold room for the largest.
public indirect enum GateDecision: Hashable, Sendable {
    /// Take the body.
    case accept(Acceptance)
    /// The bytes at hand are given up. `withThisBody` is nil when the body is refused and a plain GET must follow;
    /// otherwise the body is that of the file from its start, and goes into a new generation.
    case restart(RestartReason, withThisBody: Acceptance?)
    /// Refuse the body and ask again without a range; the bytes stay until that answer is judged. `flagsHost`: the
    /// host's ranges are not to be relied on.
    case askPlain(AskPlainReason, flagsHost: Bool)
    /// Refuse the body and ask again under the other form of `If-Range`: the host does not look at the one that was
    /// sent, and the file is the same.
    case askOtherwise
    /// The host ignores ranges: this segment is given up, and one stream brings the whole rest. The other bytes are
    /// of the same version and stay.
    case collapseToSingleStream
    /// Every byte is there: verify the file.
    case alreadyComplete
    /// Ask for what `Location` names, once it has passed the redirect and destination rules.
    case followRedirect(location: String)
    /// An interim response: the final one is still to come.
    case awaitFinalResponse
    /// Refuse the body, keep the bytes, and let ``RetryPolicy`` say when to try again.
    case retry(TransferFailure)
    /// As `retry`, but an answer to mistrust: the next ``StoredState/suspectAnswers`` is one higher.
    case retrySuspect(TransferFailure)
    /// Keep the bytes until somebody gives other credentials or another URL.
    case waitForCredentials(DownloadError)
    case fail(DownloadError)
}
