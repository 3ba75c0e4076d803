/// Makes bytes that only this service can read or make, and takes them back.
///
/// An authenticated cipher fits. It is handed in, so that this target needs no cryptography of its own.
public struct CursorSealer: Sendable {
    public let seal: @Sendable ([UInt8]) -> [UInt8]
    /// Nil for what was not sealed here, or was changed since.
    public let open: @Sendable ([UInt8]) -> [UInt8]?

    public init(
        seal: @escaping @Sendable ([UInt8]) -> [UInt8],
        open: @escaping @Sendable ([UInt8]) -> [UInt8]?
    ) {
        self.seal = seal
        self.open = open
    }
}
