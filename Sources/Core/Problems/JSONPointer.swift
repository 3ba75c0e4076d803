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
