import Core
import Testing
import TransferRules

/// The essence of a decision, short enough for a table.
enum GateOutcome: Hashable {
    case accept(at: Int64, length: Int64?, overlap: Int64 = 0)
    case acceptUnproven
    case restart(RestartReason)
    case restartWithBody(RestartReason)
    case askPlain(AskPlainReason, flagged: Bool = false)
    case askOtherwise
    case collapse
    case complete
    case follow
    case interim
    case retry(DownloadError.Code, FailureClass)
    case suspect(RetryLimits)
    case credentials
    case fail(DownloadError.Code)

    init(_ decision: GateDecision) {
        switch decision {
        case .accept(let acceptance) where !acceptance.isLengthProvable: self = .acceptUnproven
        case .accept(let acceptance):
            self = .accept(
                at: acceptance.writeOffset,
                length: acceptance.expectedLength,
                overlap: acceptance.overlapToCompare
            )
        case .restart(let reason, nil): self = .restart(reason)
        case .restart(let reason, .some): self = .restartWithBody(reason)
        case .askPlain(let reason, let flagged): self = .askPlain(reason, flagged: flagged)
        case .askOtherwise: self = .askOtherwise
        case .collapseToSingleStream: self = .collapse
        case .alreadyComplete: self = .complete
        case .followRedirect: self = .follow
        case .awaitFinalResponse: self = .interim
        case .retry(let failure): self = .retry(failure.error.code, failure.failureClass)
        case .retrySuspect(let failure):
            guard case .transient(let limits) = failure.failureClass else {
                self = .retry(failure.error.code, failure.failureClass)
                return
            }
            self = .suspect(limits)
        case .waitForCredentials: self = .credentials
        case .fail(let error): self = .fail(error.code)
        }
    }
}

/// A row of the gate's table.
struct GateRow: Sendable, CustomTestStringConvertible {
    let claim: String
    var stored: StoredState = GateFixture.stored()
    var asked: RequestAsked?
    let response: OriginResponse
    let outcome: GateOutcome

    var testDescription: String { claim }

    var decided: GateOutcome {
        let asked = asked ?? GateFixture.asked(for: stored)
        return GateOutcome(ResponseGate.judge(asked: asked, stored: stored, response: response))
    }
}
