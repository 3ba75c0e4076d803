/// The location of a value in a JSON document (RFC 6901). The empty pointer means the whole document.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public static let root = JSONPointer(text: "")

    /// Creates a pointer from its text form.
    public init(text: String) {
        self.text = text
    }

    public var description: String { text }

    /// The pointer to the member `name` of the object at this pointer. Escapes `~` and `/` in the name.
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
    /// Creates a pointer from a literal, such as `"/mirrors/\(index)"`. Interpolated values are not escaped.
    public init(stringLiteral text: String) { self.init(text: text) }
}

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
