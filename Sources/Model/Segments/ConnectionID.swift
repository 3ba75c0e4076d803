/// One of the connections that fetch a file's segments; told apart within its download alone.
public struct ConnectionID: Hashable, Sendable {
    public let number: Int

    public init(_ number: Int) {
        self.number = number
    }
}
