import Synchronization

/// One request and its response: the object behind `con_cls`, retained from the request line to the completed callback.
final class Exchange: Sendable {
    let connection: Connection
    /// The raw request target, up to its first NUL.
    let target: [UInt8]
    /// Where libmicrohttpd has the target. Never dereferenced: the version follows it in the request line, so their
    /// distance is the target's true length, with any NUL in it.
    let targetAddress: UInt
    /// The response is the last one on its connection.
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

/// The state machine of one request and its response: pure rules, whose effects ``ServerCore`` carries out.
struct ExchangeMachine {
    /// Results from the head that are needed until the end of the body.
    struct Accepted {
        let head: ServerRequest.Head
        let maxBodyBytes: Int
        let handler: HTTPServer.Handler
        /// The address in libmicrohttpd's memory where a chunked body begins.
        let chunksStart: UInt?
    }

    enum Phase {
        /// The request line was read.
        case head
        /// The head was accepted; the body is being read.
        case body(Accepted)
        /// The handler was started, and has not returned to libmicrohttpd's thread.
        case starting
        /// The handler waits for something, and the connection is suspended.
        case suspended(SuspendedConnection, Task<Void, Never>)
        /// There is a response, and libmicrohttpd has to fetch it.
        case responded(ServerResponse)
        /// The response was passed to libmicrohttpd.
        case sent
    }

    /// The next step of libmicrohttpd's call.
    enum Step {
        case validateHead
        case buffer(Accepted)
        case handle(ServerRequest, HTTPServer.Handler)
        case respond(ServerResponse)
        case wait
    }

    private var phase = Phase.head
    private var body: [UInt8] = []
    /// The counted bytes of the body, here or in the handler.
    private var bufferedBytes = 0

    /// - Parameter offered: how many bytes of body come with the call; 0 at the head and at the end.
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
        // A declared length proves nothing: no more than this is allocated before the bytes come.
        if case .declared(let length) = length { body.reserveCapacity(Int(min(length, 64 << 10))) }
    }

    /// Stores the response to a request without a body for libmicrohttpd's next call: a response to its first call
    /// would close the connection.
    mutating func respondToHead(_ response: ServerResponse) { phase = .responded(response) }

    mutating func refuse() { phase = .sent }

    /// Appends counted bytes.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        body.append(contentsOf: bytes)
        bufferedBytes += bytes.count
    }

    func hasRoom(for count: Int, within limit: Int) -> Bool { body.count + count <= limit }

    /// Releases the body.
    ///
    /// - Returns: The number of its counted bytes.
    mutating func releaseBody() -> Int {
        defer { bufferedBytes = 0 }
        body = []
        return bufferedBytes
    }

    /// Removes the response of a handler that did not suspend.
    mutating func removeEarlyResponse() -> ServerResponse? {
        guard case .responded(let response) = phase else { return nil }
        phase = .sent
        return response
    }

    /// Stores the suspended connection for the later response.
    ///
    /// - Returns: `false` if the response came before; then the caller resumes the connection.
    mutating func suspend(_ connection: SuspendedConnection, _ task: Task<Void, Never>) -> Bool {
        guard case .starting = phase else { return false }
        phase = .suspended(connection, task)
        return true
    }

    /// Stores the first response; a later one is dropped.
    ///
    /// - Returns: The connection to resume, and the task to cancel if the response is not the handler's own.
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
