import Linux

/// What reaches other machines: the loops of an engine or a client, and the resolver.
public struct Network: Sendable {
    /// Makes a loop that shares its idle connections with others. The number tells them apart.
    ///
    /// - Throws: `outOfResources` if the process has no thread or descriptor left.
    public var makeLoop: @Sendable (_ idle: IdleConnections, _ number: Int) throws(CurlError) -> any ExchangeLoop
    /// Makes a loop for one transfer.
    ///
    /// - Throws: `outOfResources` if the process has no thread or descriptor left.
    public var makeSingleLoop: @Sendable () throws(CurlError) -> any ExchangeLoop
    /// Whether the resolver reports that a name does not exist.
    public var isUnknownName: @Sendable (String) async -> Bool

    public init(
        makeLoop: @escaping @Sendable (_ idle: IdleConnections, _ number: Int) throws(CurlError) -> any ExchangeLoop,
        makeSingleLoop: @escaping @Sendable () throws(CurlError) -> any ExchangeLoop,
        isUnknownName: @escaping @Sendable (String) async -> Bool
    ) {
        self.makeLoop = makeLoop
        self.makeSingleLoop = makeSingleLoop
        self.isUnknownName = isUnknownName
    }

    /// libcurl and the system's resolver.
    public static let system = Network(
        makeLoop: { (idle, number) throws(CurlError) in try TransferLoop.further(sharing: idle, number: number) },
        makeSingleLoop: { () throws(CurlError) in try TransferLoop.forOneTransfer() },
        isUnknownName: { [pool = BlockingPool(threads: 4, name: "names")] name in
            await pool.run { HostName.isUnknown(name) }
        }
    )
}

extension Network {
    /// The loop that a component begins with. Without a thread for it, the component cannot exist.
    public func firstLoop(sharing idle: IdleConnections = IdleConnections(), number: Int = 0) -> any ExchangeLoop {
        do {
            return try makeLoop(idle, number)
        } catch {
            preconditionFailure("no thread for transfers: \(error.message)")
        }
    }
}
