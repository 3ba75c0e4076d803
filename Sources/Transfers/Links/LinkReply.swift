public import Model

/// What came of asking for another link.
public enum LinkReply<Value: Sendable>: Sendable {
    /// What was read out of the document that came.
    case given(Value)
    /// Whoever was asked has no other link.
    case refused
    case failed(TransferFailure)
    /// The task was cancelled.
    case stopped
}
