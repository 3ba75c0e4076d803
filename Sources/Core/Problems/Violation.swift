/// An error in a request's body, reported by the JSON reader or by a rule of the service.
public struct Violation: Error, Hashable, Sendable {
    public let pointer: JSONPointer
    public let code: Code
    /// A text for people. It never contains the value, which may be a secret.
    public let detail: String

    /// The kind of error. Clients receive it, so it is stable.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// A required member is missing.
        case required
        /// The member is unknown, and possibly misspelled.
        case unknownMember = "unknown_member"
        case wrongType = "wrong_type"
        /// The value is not one of the allowed words.
        case unknownWord = "unknown_word"
        case tooLong = "too_long"
        case tooMany = "too_many"
        case outOfRange = "out_of_range"
        /// The text does not have the required format.
        case malformed
        /// The value may not be set, such as the header field `Host`.
        case forbidden
    }

    public init(_ pointer: JSONPointer, _ code: Code, _ detail: String) {
        self.pointer = pointer
        self.code = code
        self.detail = detail
    }
}

/// One or more errors in a request.
public struct Violations: Error, Hashable, Sendable {
    public let all: [Violation]

    public init(_ all: [Violation]) {
        self.all = all
    }
}
