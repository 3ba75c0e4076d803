/// What a session is to be before it is changed.
public enum SessionExpectation: Hashable, Sendable {
    case any
    /// There is none.
    case absent
    /// It is there, with this revision.
    case revision(Int64)
}
