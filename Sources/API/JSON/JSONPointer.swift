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

/// One thing that is wrong in a request's body.
public struct BodyViolation: Error, Hashable, Sendable {
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
public enum BodyError: Error, Hashable, Sendable {
    case json(JSONParseError)
    /// At least one; all that were found.
    case violations([BodyViolation])
}

/// Gathers what is wrong in a body, so that its sender learns all of it at once.
struct ViolationList {
    private(set) var violations: [BodyViolation] = []

    /// As many as one answer tells; a hostile body could have tens of thousands.
    static let limit = 50

    mutating func add(_ pointer: JSONPointer, _ code: BodyViolation.Code, _ detail: String) {
        guard violations.count < Self.limit else { return }
        violations.append(BodyViolation(pointer, code, detail))
    }

    mutating func addWrongType(_ pointer: JSONPointer, expected: String, found: JSONValue) {
        add(pointer, .wrongType, "Expected \(expected), found \(found.kind).")
    }

    func throwIfAny() throws(BodyError) {
        if !violations.isEmpty { throw .violations(violations) }
    }
}
