import Synchronization

/// One request and its response. libmicrohttpd retains it as `con_cls` from the request line to the completion
/// callback.
final class Exchange: Sendable {
    let connection: Connection
    /// The raw request target, up to its first NUL.
    let target: [UInt8]
    /// The address of the target in libmicrohttpd's memory. It is never dereferenced. The version follows the target in
    /// the request line, so the distance between the two gives the target's true length, including any NUL.
    let targetAddress: UInt
    /// Whether the response is the last one on its connection.
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

/// The state machine of one request and its response. It has no effects; ``ServerCore`` performs them.
struct ExchangeMachine {
    /// Results of the head's validation that are needed until the end of the body.
    struct Accepted {
        let head: ServerRequest.Head
        let maxBodyBytes: Int
        let handler: HTTPServer.Handler
        /// The address in libmicrohttpd's memory where a chunked body begins; nil if ``ChunkLines`` is not needed.
        let chunksStart: UInt?
    }

    enum Phase {
        /// The request line was read.
        case head
        /// The head was accepted; the body is being read.
        case body(Accepted)
        /// The handler was started and has not returned or suspended yet.
        case starting
        /// The handler is suspended, and so is the connection.
        case suspended(SuspendedConnection, Task<Void, Never>)
        /// The response exists, and libmicrohttpd has not fetched it yet.
        case responded(ServerResponse)
        /// The response was passed to libmicrohttpd.
        case sent
    }

    /// The next step of a libmicrohttpd call.
    enum Step {
        case validateHead
        case buffer(Accepted)
        case handle(ServerRequest, HTTPServer.Handler)
        case respond(ServerResponse)
        case wait
    }

    private var phase = Phase.head
    private var body: [UInt8] = []
    /// The bytes of the body that the ``BodyBudget`` counts, stored here or passed to the handler.
    private var bufferedBytes = 0

    /// - Parameter offered: The number of body bytes in this call; 0 at the head and at the end of the body.
    mutating func call(offered: Int) -> Step {
        switch phase {
        case .head:
            return .validateHead
        case .body(let accepted):
            if offered > 0 { return .buffer(accepted) }
            phase = .starting
            defer { body = [] }
            return .handle(ServerRequest(head: accepted.head, body: body), accepted.handler)
        case .starting, .suspended, .sent:
            return .wait
        case .responded(let response):
            phase = .sent
            return .respond(response)
        }
    }

    mutating func accept(_ accepted: Accepted, length: BodyLength) {
        phase = .body(accepted)
        // A client can declare any length, so at most this much is allocated before the bytes arrive.
        if case .declared(let length) = length { body.reserveCapacity(Int(min(length, 64 << 10))) }
    }

    /// Stores the response to a request without a body until libmicrohttpd's next call. A response in its first call
    /// would close the connection.
    mutating func respondToHead(_ response: ServerResponse) { phase = .responded(response) }

    mutating func refuse() { phase = .sent }

    /// Appends bytes that the ``BodyBudget`` has counted.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        body.append(contentsOf: bytes)
        bufferedBytes += bytes.count
    }

    func hasRoom(for count: Int, within limit: Int) -> Bool { body.count + count <= limit }

    /// Releases the body.
    ///
    /// - Returns: The number of its bytes that the ``BodyBudget`` counts.
    mutating func releaseBody() -> Int {
        defer { bufferedBytes = 0 }
        body = []
        return bufferedBytes
    }

    /// Removes the response of a handler that returned without suspending.
    mutating func removeEarlyResponse() -> ServerResponse? {
        guard case .responded(let response) = phase else { return nil }
        phase = .sent
        return response
    }

    /// Stores the suspended connection until the response exists.
    ///
    /// - Returns: `false` if the response already exists; the caller must then resume the connection.
    mutating func suspend(_ connection: SuspendedConnection, _ task: Task<Void, Never>) -> Bool {
        guard case .starting = phase else { return false }
        phase = .suspended(connection, task)
        return true
    }

    /// Stores the first response. Later ones are ignored.
    ///
    /// - Returns: The connection to resume, and the task to cancel if the response is not from the handler.
    mutating func respond(_ response: ServerResponse) -> (SuspendedConnection, Task<Void, Never>)? {
        switch phase {
        case .starting:
            phase = .responded(response)
            return nil
        case .suspended(let connection, let task):
            phase = .responded(response)
            return (connection, task)
        case .head, .body, .responded, .sent:
            return nil
        }
    }
}
