/// The downloads that an atomic batch came to, in its order.
public struct BatchBody: Sendable {
    public var items: [DownloadBody]

    public init(items: [DownloadBody]) {
        self.items = items
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: DownloadBody.usualLength * items.count + 16)
        writer.object { writer in
            writer.name("items")
            writer.array(items) { $1.write(to: &$0) }
        }
        return writer.bytes
    }
}
