internal import Synchronization

/// One request and its answer: the object behind `con_cls`, retained from the request line to the completed callback.
final class Exchange: Sendable {
    let connection: Connection
    /// The request target as it came, up to its first NUL.
    let target: [UInt8]
    /// Where libmicrohttpd keeps the target. Never dereferenced: the version stands right behind it in the request
    /// line, so the distance of the two is the target's true length, with any NUL in it.
    let targetAddress: UInt
    /// Nothing may follow the answer on its connection.
    let isLast = Atomic(false)
    private let machine = Mutex(ExchangeMachine())

    init(connection: Connection, target: [UInt8], targetAddress: UInt) {
        self.connection = connection
        self.target = target
        self.targetAddress = targetAddress
    }

    func withMachine<Result>(_ body: (inout ExchangeMachine) -> Result) -> Result {
        machine.withLock { body(&$0) }
    }
}
