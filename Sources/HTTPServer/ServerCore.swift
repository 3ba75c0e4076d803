import CMicroHTTPD
import HTTPTypes
import Synchronization

/// The state that the C callbacks use. It must outlive the daemon.
final class ServerCore: Sendable {
    let configuration: HTTPServer.Configuration
    let connections: ConnectionTable
    let suspensions = SuspensionCount()
    let closing = ClosingSockets()
    let bodies: BodyBudget
    /// Whether the server is stopping. Each response then closes its connection.
    let isShuttingDown = Atomic(false)
    private let admit: HTTPServer.Admission
    private let render: HTTPServer.RefusalRenderer
    private let headerMilliseconds: Int64
    private let bodyMilliseconds: Int64
    private let idleMilliseconds: Int64

    init(
        configuration: HTTPServer.Configuration,
        render: @escaping HTTPServer.RefusalRenderer,
        admit: @escaping HTTPServer.Admission
    ) {
        self.configuration = configuration
        self.render = render
        self.admit = admit
        connections = ConnectionTable(limits: ConnectionLimits(configuration))
        bodies = BodyBudget(limit: configuration.maxBufferedBytes)
        headerMilliseconds = configuration.headerDeadline.milliseconds
        bodyMilliseconds = configuration.bodyDeadline.milliseconds
        idleMilliseconds = configuration.idleTimeout.milliseconds
    }

    // MARK: Connections

    func open(descriptor: Int32, remoteAddress: String, group: AddressGroup) -> Connection {
        let connection = Connection(
            descriptor: descriptor,
            remoteAddress: remoteAddress,
            group: group,
            deadline: MonotonicClock.now + headerMilliseconds,
            order: connections.nextOrder()
        )
        connections.insert(connection)
        return connection
    }

    func close(_ connection: Connection) {
        if connection.closesSlowly.load(ordering: .relaxed) { closing.adopt(connection.descriptor) }
        connections.remove(connection)
    }

    // MARK: Exchanges

    /// Called when the request line is complete. The rest of the head gets its own deadline.
    func begin(_ connection: Connection) {
        let limit = MonotonicClock.now + headerMilliseconds
        if limit < connection.deadline.load(ordering: .relaxed) { connection.setDeadline(limit) }
    }

    func end(_ exchange: Exchange) {
        let connection = exchange.connection
        bodies.release(exchange.withMachine { $0.releaseBody() })
        connection.handledExchange = nil
        connection.stream = nil
        connection.endRequest(order: connections.nextOrder())
        connection.announceEnd()
        connection.setDeadline(MonotonicClock.now + idleMilliseconds + headerMilliseconds)
    }

    /// Handles one libmicrohttpd call for an exchange.
    func advance(_ exchange: Exchange, _ call: AccessCall) -> MHD_Result {
        let offered = call.offered
        // 0.9.75 offers an empty piece of no body after `100 Continue`. It accepts no response in this call.
        if call.upload != nil, offered.isEmpty { return .YES }
        switch exchange.withMachine({ $0.call(offered: offered.count) }) {
        case .validateHead:
            return validateHead(of: exchange, call)
        case .buffer(let accepted):
            return buffer(offered, of: exchange, accepted, call)
        case .handle(let request, let handler):
            return handle(request, with: handler, in: exchange, call)
        case .respond(let response):
            return send(response, in: exchange, call)
        case .wait:
            return .YES
        }
    }

    private func validateHead(of exchange: Exchange, _ call: AccessCall) -> MHD_Result {
        let connection = exchange.connection
        // The connection has just been shut down to make room for another one.
        guard connection.beginRequest() else { return .NO }
        let head: ServerRequest.Head
        let length: BodyLength
        do throws(Refusal) {
            let limit = configuration.maxTargetBytes
            (head, length) = try ServerRequest.Head.read(call, of: exchange, maxTargetBytes: limit)
        } catch {
            return refuse(error, nil, exchange, call)
        }
        if head.method == .trace {
            return refuse(Refusal(.methodNotAllowed, "TRACE is not supported."), head, exchange, call)
        }
        let isSpare = connection.isSpare.load(ordering: .relaxed)
        if isSpare, !configuration.vitalPaths.contains(head.path) {
            connection.isRefused.store(true, ordering: .relaxed)
            return refuse(Refusal(.overloaded, "Every connection is in use."), head, exchange, call)
        }
        exchange.isLast.store(isSpare || length == .chunked, ordering: .relaxed)
        switch admit(head) {
        case .refused(let response):
            guard length.isEmpty else { return refuse(with: response, exchange, call) }
            exchange.withMachine { $0.respondToHead(response) }
            connection.setDeadline(MonotonicClock.never)
        case .admitted(let maxBodyBytes, let handler):
            if length.exceeds(maxBodyBytes) { return refuse(tooLarge(maxBodyBytes), head, exchange, call) }
            let hasLines = length == .chunked && !MicroHTTPLibrary.parsesStrictly
            let chunksStart = hasLines ? UInt(bitPattern: call.headEnd) : nil
            let accepted = ExchangeMachine.Accepted(
                head: head,
                maxBodyBytes: maxBodyBytes,
                handler: handler,
                chunksStart: chunksStart
            )
            exchange.withMachine { $0.accept(accepted, length: length) }
            connection.setDeadline(length.isEmpty ? MonotonicClock.never : MonotonicClock.now + bodyMilliseconds)
        }
        return .YES
    }

    /// Stores a piece of a body, if there is memory for it.
    ///
    /// If the memory for all bodies is full, the request is refused instead of delayed: bodies that wait for each other
    /// would never complete.
    private func buffer(
        _ bytes: UnsafeRawBufferPointer,
        of exchange: Exchange,
        _ accepted: ExchangeMachine.Accepted,
        _ call: AccessCall
    ) -> MHD_Result {
        if let start = accepted.chunksStart.flatMap({ UnsafeRawPointer(bitPattern: $0) }),
            let piece = bytes.baseAddress,
            !ChunkLines.areStrict(before: piece, from: start)
        {
            return reject(exchange, Refusal(.badFraming, "A line between chunks has a bare line feed or CR."), accepted)
        }
        guard exchange.withMachine({ $0.hasRoom(for: bytes.count, within: accepted.maxBodyBytes) }) else {
            return reject(exchange, tooLarge(accepted.maxBodyBytes), accepted)
        }
        guard bodies.reserve(bytes.count) else {
            return reject(exchange, Refusal(.overloaded, "The memory for request bodies is full."), accepted)
        }
        exchange.withMachine { $0.append(bytes) }
        call.acceptOffered()
        return .YES
    }

    /// Sends a response before the body has ended, and makes libmicrohttpd close the connection.
    private func reject(
        _ exchange: Exchange,
        _ refusal: Refusal,
        _ accepted: ExchangeMachine.Accepted
    ) -> MHD_Result {
        exchange.withMachine { $0.refuse() }
        bodies.release(exchange.withMachine { $0.releaseBody() })
        exchange.connection.closesSlowly.store(true, ordering: .relaxed)
        EarlyResponse(render(refusal, accepted.head)).send(to: exchange.connection.descriptor)
        return .NO
    }

    /// Runs the handler on this thread until it first suspends, so a handler that does not suspend needs no thread
    /// switch. If it suspends, the connection is suspended too, and no thread waits.
    private func handle(
        _ request: ServerRequest,
        with handler: @escaping HTTPServer.Handler,
        in exchange: Exchange,
        _ call: AccessCall
    ) -> MHD_Result {
        exchange.connection.setDeadline(MonotonicClock.never)
        guard suspensions.enter() else { return refuse(shuttingDown, request.head, exchange, call) }
        // An unstructured task, because a C callback provides no parent scope. It ends with its response, or is
        // cancelled when the server stops.
        let task = Task.immediate { _ = self.respond(exchange, with: await handler(request)) }
        if let response = exchange.withMachine({ $0.removeEarlyResponse() }) {
            suspensions.leave()
            return send(response, in: exchange, call)
        }
        let suspended = SuspendedConnection(call.connection)
        exchange.connection.handledExchange = exchange
        MHD_suspend_connection(call.connection)
        if !exchange.withMachine({ $0.suspend(suspended, task) }) {
            suspended.resume()
            suspensions.leave()
        }
        return .YES
    }

    /// - Returns: The handler's task, if this response is not its own.
    private func respond(_ exchange: Exchange, with response: ServerResponse) -> Task<Void, Never>? {
        bodies.release(exchange.withMachine { $0.releaseBody() })
        guard let (suspended, task) = exchange.withMachine({ $0.respond(response) }) else { return nil }
        suspended.resume()
        suspensions.leave()
        return task
    }

    private func send(_ response: ServerResponse, in exchange: Exchange, _ call: AccessCall) -> MHD_Result {
        if case .stream(let stream) = response.body {
            exchange.connection.limitUnacknowledged(to: idleMilliseconds)
            exchange.connection.stream = stream
        }
        let isLast = exchange.isLast.load(ordering: .relaxed)
        // The client may send more bytes, which are not read.
        if isLast { exchange.connection.closesSlowly.store(true, ordering: .relaxed) }
        let isClosing = isLast || isShuttingDown.load(ordering: .relaxed)
        return response.queue(on: call.connection, closing: isClosing, suspensions)
    }

    // MARK: Refusals

    private func refuse(
        _ refusal: Refusal,
        _ head: ServerRequest.Head?,
        _ exchange: Exchange,
        _ call: AccessCall
    ) -> MHD_Result {
        refuse(with: render(refusal, head), exchange, call)
    }

    /// Sends a response without calling a handler. libmicrohttpd closes the connection after a response to a head
    /// without its body.
    private func refuse(with response: ServerResponse, _ exchange: Exchange, _ call: AccessCall) -> MHD_Result {
        exchange.withMachine { $0.refuse() }
        exchange.connection.setDeadline(MonotonicClock.never)
        exchange.connection.closesSlowly.store(true, ordering: .relaxed)
        return response.queue(on: call.connection, closing: true, suspensions)
    }

    /// Limits the time in which clients must read the rest of their streams, and send the rest of their requests.
    func limitClients(to deadline: Int64) {
        for connection in connections.all {
            let current = connection.deadline.load(ordering: .relaxed)
            // Only a connection that waits for its client has a deadline; a stream has none.
            guard current > deadline, current < MonotonicClock.never || connection.stream != nil else { continue }
            connection.setDeadline(deadline)
        }
    }

    /// Responds with 503 to each request whose handler is still running, and cancels the handler. Ends every stream
    /// that is being sent.
    func abandonHandlers() {
        for connection in connections.all {
            connection.stream?.abandon()
            guard let exchange = connection.handledExchange else { continue }
            respond(exchange, with: render(shuttingDown, nil))?.cancel()
        }
    }

    private func tooLarge(_ limit: Int) -> Refusal {
        Refusal(.contentTooLarge, "The content is longer than \(limit) bytes.", maxBodyBytes: limit)
    }

    private var shuttingDown: Refusal { Refusal(.shuttingDown, "The server is shutting down.") }
}
