/// How much head a response may have before it is refused with `headTooLarge`.
public struct HeadLimits: Hashable, Sendable {
    public var bytes: Int
    public var fields: Int

    public init(bytes: Int = 256 << 10, fields: Int = 256) {
        self.bytes = bytes
        self.fields = fields
    }
}
