extension GateDecision {
    /// The decision as the account of a download's requests has it; nil for one that is none on an answer's body.
    public var verdict: RequestRecord.Verdict? {
        switch self {
        case .accept: .init(.accept)
        case .restart(let reason, _): .init(.restart, reason: reason.rawValue)
        case .askPlain(let reason, _): .init(.askPlain, reason: reason.rawValue)
        case .askOtherwise: .init(.askOtherwise, reason: RestartReason.rangeIgnored.rawValue)
        case .collapseToSingleStream: .init(.singleStream, reason: RestartReason.rangeIgnored.rawValue)
        case .alreadyComplete: .init(.alreadyComplete)
        case .retry(let failure): .init(.retry, reason: failure.error.code.rawValue)
        case .retrySuspect(let failure): .init(.suspect, reason: failure.error.code.rawValue)
        case .waitForCredentials(let error): .init(.waitForCredentials, reason: error.code.rawValue)
        case .fail(let error): .init(.fail, reason: error.code.rawValue)
        case .followRedirect, .awaitFinalResponse: nil
        }
    }

    /// Whether the whole file came in answer to a range, and was the same.
    public var hasIgnoredRange: Bool {
        switch self {
        case .askOtherwise, .collapseToSingleStream, .restart(.rangeIgnored, _): true
        default: false
        }
    }

    /// Whether the body of the answer is taken.
    public var takesBody: Bool {
        switch self {
        case .accept, .restart(_, withThisBody: _?): true
        default: false
        }
    }
}
