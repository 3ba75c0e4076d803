import Synchronization

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

/// How far one request and its answer are: pure rules, whose effects ``ServerCore`` carries out.
struct ExchangeMachine {
    /// What was found out from the head, and is needed until the end of the body.
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
        /// The handler was started, and libmicrohttpd's thread has not yet come back from it.
        case starting
        /// The handler waits for something, and the connection is suspended.
        case suspended(SuspendedConnection, Task<Void, Never>)
        /// There is an answer, and libmicrohttpd is to ask for it.
        case answered(ServerResponse)
        /// The answer is libmicrohttpd's.
        case sent
    }

    /// What libmicrohttpd's call is about.
    enum Step {
        case validateHead
        case keep(Accepted)
        case handle(ServerRequest, HTTPServer.Handler)
        case answer(ServerResponse)
        case wait
    }

    private var phase = Phase.head
    private var body: [UInt8] = []
    /// The bytes of the body that are counted as held, be they here or with the handler.
    private var heldBytes = 0

    /// - Parameter offered: how many bytes of body come with the call; 0 at the head and at the end.
    mutating func call(offered: Int) -> Step {
        switch phase {
        case .head:
            return .validateHead
        case .body(let accepted):
            if offered > 0 { return .keep(accepted) }
            phase = .starting
            defer { body = [] }
            return .handle(ServerRequest(head: accepted.head, body: body), accepted.handler)
        case .starting, .suspended, .sent:
            return .wait
        case .answered(let response):
            phase = .sent
            return .answer(response)
        }
    }

    mutating func accept(_ accepted: Accepted, length: BodyLength) {
        phase = .body(accepted)
        // A declared length is only a promise: no more than this is set aside before the bytes are here.
        if case .declared(let length) = length { body.reserveCapacity(Int(min(length, 64 << 10))) }
    }

    /// Keeps the answer to a request without a body, for libmicrohttpd's next call: an answer to its first one would
    /// close the connection.
    mutating func answerHead(_ response: ServerResponse) { phase = .answered(response) }

    mutating func refuse() { phase = .sent }

    /// Appends bytes that were counted as held.
    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        body.append(contentsOf: bytes)
        heldBytes += bytes.count
    }

    func hasRoom(for count: Int, within limit: Int) -> Bool { body.count + count <= limit }

    /// Lets go of the body.
    ///
    /// - Returns: How many bytes of it were held.
    mutating func releaseBody() -> Int {
        defer { heldBytes = 0 }
        body = []
        return heldBytes
    }

    /// Takes the answer of a handler that did not wait for anything.
    mutating func removeEarlyResponse() -> ServerResponse? {
        guard case .answered(let response) = phase else { return nil }
        phase = .sent
        return response
    }

    /// Makes a connection that is suspended known to whoever answers.
    ///
    /// - Returns: `false` when the answer came before; the caller resumes the connection then.
    mutating func suspend(_ connection: SuspendedConnection, _ task: Task<Void, Never>) -> Bool {
        guard case .starting = phase else { return false }
        phase = .suspended(connection, task)
        return true
    }

    /// Keeps the first answer; a later one is dropped.
    ///
    /// - Returns: what to resume, and to cancel where the answer is not the handler's own.
    mutating func answer(_ response: ServerResponse) -> (SuspendedConnection, Task<Void, Never>)? {
        switch phase {
        case .starting:
            phase = .answered(response)
            return nil
        case .suspended(let connection, let task):
            phase = .answered(response)
            return (connection, task)
        case .head, .body, .answered, .sent:
            return nil
        }
    }
}
