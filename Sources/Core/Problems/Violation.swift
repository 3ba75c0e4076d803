/// The place of a value in a JSON text (RFC 6901); the empty one is the whole text.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    public let text: String

    public static let root = JSONPointer(text: "")

    /// Takes over a text that is a pointer already.
    public init(text: String) {
        self.text = text
    }

    public var description: String { text }

    /// The place of the member `name` of the object that stands here.
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
    /// A pointer that stands in the source text: `"/mirrors/\(index)"`.
    public init(stringLiteral text: String) { self.init(text: text) }
}

/// One thing that is wrong in a request's body, whoever finds it: the reader of the JSON, or a rule of the service.
public struct Violation: Error, Hashable, Sendable {
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

/// What is wrong with a request, at least one thing.
public struct Violations: Error, Hashable, Sendable {
    public let all: [Violation]

    public init(_ all: [Violation]) {
        self.all = all
    }
}
