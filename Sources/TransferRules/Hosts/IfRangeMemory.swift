public import Core

/// The form of the condition in `If-Range` (RFC 9110, section 13.1.5).
public enum IfRangeForm: Hashable, Sendable {
    case tag, date

    var other: Self { self == .tag ? .date : .tag }
}

/// Learns which form of `If-Range` a host honours. Some hosts compare only tags, others only dates. For the other form
/// they send the whole file although it has not changed.
///
/// After one form was ignored, the other is tried once. If it is ignored too, requests use tags, and dates are not
/// tried again until `memory` has passed.
public struct IfRangeMemory: Hashable, Sendable {
    private enum State: Hashable {
        /// Nothing was ignored yet. Tags are used, which are the stronger proof.
        case untried
        /// The other form was ignored, so this one is tried next.
        case trying(IfRangeForm)
        case known(IfRangeForm)
        case neither
    }

    private var state = State.untried
    private var since: Timestamp?

    /// How long an observation counts.
    static let memory = Duration.seconds(3600)

    public init() {}

    public func isPristine(at now: Timestamp) -> Bool { current(at: now) == .untried }

    /// The form to use for a file that has both a tag and a date.
    public func form(at now: Timestamp) -> IfRangeForm {
        switch current(at: now) {
        case .untried, .neither: .tag
        case .trying(let form), .known(let form): form
        }
    }

    /// Whether the other form should be tried if this one is ignored.
    public func hasOther(than form: IfRangeForm, at now: Timestamp) -> Bool {
        switch current(at: now) {
        case .untried: form == .tag
        case .known(let known): form == known
        // This request was prepared before the next form was chosen.
        case .trying(let next): form != next
        case .neither: false
        }
    }

    /// Records that the host responded to a range request with the whole file, although the file had not changed.
    public mutating func recordIgnored(_ form: IfRangeForm, at now: Timestamp) {
        switch current(at: now) {
        case .untried where form == .tag, .known(form): state = .trying(form.other)
        case .trying(form): state = .neither
        // The request was prepared before the present state was reached.
        case .untried, .known, .trying, .neither: return
        }
        since = now
    }

    /// Records that the host sent the requested range.
    public mutating func recordHonoured(_ form: IfRangeForm, at now: Timestamp) {
        state = form == .tag ? .untried : .known(form)
        since = now
    }

    private func current(at now: Timestamp) -> State {
        guard let since, (.zero..<Self.memory).contains(now - since) else { return .untried }
        return state
    }
}
