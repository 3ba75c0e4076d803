/// One thing that is wrong in a request's body.
public struct WireViolation: Error, Hashable, Sendable {
    public let pointer: JSONPointer
    public let code: Code
    /// For a person; never repeats a value, which may be a secret.
    public let detail: String

    /// What kind of mistake it is; a contract, as it is sent.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// A member that has to be there is missing.
        case required
        /// No such member; perhaps a slip of the pen.
        case unknownMember = "unknown_member"
        case wrongType = "wrong_type"
        /// Not one of the words that may stand here.
        case unknownWord = "unknown_word"
        case tooLong = "too_long"
        case tooMany = "too_many"
        case outOfRange = "out_of_range"
        /// The text is not of the form that it has to have.
        case malformed
        /// It may not be set, such as the header field `Host`.
        case forbidden
    }

    public init(_ pointer: JSONPointer, _ code: Code, _ detail: String) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }
}

/// Why a body is not the request that it should be: not JSON, or JSON with mistakes.
public enum BodyFault: Error, Hashable, Sendable {
    case json(JSONFault)
    /// At least one; all that were found.
    case violations([WireViolation])
}
