/// What the API shows, alone or in the pages of a list.
public protocol Resource: Sendable {
    /// About how many bytes its JSON has, so that it is written without growing.
    static var usualLength: Int { get }

    func write(to writer: inout JSONWriter)
}

extension Resource {
    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: Self.usualLength)
        write(to: &writer)
        return writer.bytes
    }
}
