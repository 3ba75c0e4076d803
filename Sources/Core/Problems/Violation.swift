/// The place of a value in a JSON text (RFC 6901); the empty one is the whole text.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public static let root = JSONPointer(text: "")

    /// From a text that already is a pointer.
    public init(text: String) {
        self.text = text
    }

    public var description: String { text }

    /// The pointer to the member `name` of this object.
    public func appending(_ name: String) -> JSONPointer {
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": escaped += "~0"
            case "/": escaped += "~1"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return JSONPointer(text: "\(text)/\(escaped)")
    }
}

extension JSONPointer: ExpressibleByStringInterpolation {
    /// From a literal: `"/mirrors/\(index)"`.
    public init(stringLiteral text: String) { self.init(text: text) }
}

/// One error in a request's body, found by the JSON reader or by a rule of the service.
public struct Violation: Error, Hashable, Sendable {
    public let pointer: JSONPointer
    public let code: Code
    /// For people. It never repeats a value, which may be a secret.
    public let detail: String

    /// The kind of error. Clients receive it, so it is a contract.
    public enum Code: String, CaseIterable, Hashable, Sendable {
        /// A required member is missing.
        case required
        /// Unknown member, perhaps misspelled.
        case unknownMember = "unknown_member"
        case wrongType = "wrong_type"
        /// Not one of the allowed words.
        case unknownWord = "unknown_word"
        case tooLong = "too_long"
        case tooMany = "too_many"
        case outOfRange = "out_of_range"
        /// The text does not have the required form.
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

/// The errors in a request; at least one.
public struct Violations: Error, Hashable, Sendable {
    public let all: [Violation]

    public init(_ all: [Violation]) {
        self.all = all
    }
}
