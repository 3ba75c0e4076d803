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
