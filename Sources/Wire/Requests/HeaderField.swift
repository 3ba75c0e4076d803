/// A header field that a download sends along; its value is a secret.
public struct HeaderField: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    public let value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    public var description: String { "\(name): REDACTED" }
}
