public import Core

/// A form that the condition in `If-Range` has (RFC 9110, section 13.1.5).
public enum IfRangeForm: Hashable, Sendable {
    case tag, date

    var other: Self { self == .tag ? .date : .tag }
}

/// Which form of `If-Range` a host honours. Some compare only tags, some only dates. With the other form they send the
/// whole file although it is the same.
///
/// After an ignored form the other is tried once. If that is ignored too, neither is sent for a while.
public struct IfRangeMemory: Hashable, Sendable {
    private enum State: Hashable {
        /// Nothing was ignored: tags, which are the better proof.
        case untried
        /// The other form was ignored; this one is tried next.
        case trying(IfRangeForm)
        case known(IfRangeForm)
        case neither
    }

    private var state = State.untried
    private var since: Timestamp?

    /// How long what was learned holds.
    static let memory = Duration.seconds(3600)

    public init() {}

    public func isPristine(at now: Timestamp) -> Bool { current(at: now) == .untried }

    /// The form to use where a file has both.
    public func form(at now: Timestamp) -> IfRangeForm {
        switch current(at: now) {
        case .untried, .neither: .tag
        case .trying(let form), .known(let form): form
        }
    }

    /// Whether the other form is worth a try once this one is ignored.
    public func hasOther(than form: IfRangeForm, at now: Timestamp) -> Bool {
        switch current(at: now) {
        case .untried: form == .tag
        case .known(let known): form == known
        // The request was made before that one was chosen.
        case .trying(let next): form != next
        case .neither: false
        }
    }

    /// Records that a range request got the whole file though the version was the same.
    public mutating func recordIgnored(_ form: IfRangeForm, at now: Timestamp) {
        switch current(at: now) {
        case .untried where form == .tag, .known(form): state = .trying(form.other)
        case .trying(form): state = .neither
        // A request that was made before something was learned.
        case .untried, .known, .trying, .neither: return
        }
        since = now
    }

    /// Records that the range was sent.
    public mutating func recordHonoured(_ form: IfRangeForm, at now: Timestamp) {
        state = form == .tag ? .untried : .known(form)
        since = now
    }

    private func current(at now: Timestamp) -> State {
        guard let since, (.zero..<Self.memory).contains(now - since) else { return .untried }
        return state
    }
}
