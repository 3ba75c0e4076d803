internal import CMicroHTTPD
internal import HTTPTypes
internal import Synchronization

/// What the C callbacks reach through their context: it outlives the daemon.
final class ServerCore: Sendable {
    let configuration: HTTPServer.Configuration
    let connections = ConnectionTable()
    let suspensions = SuspensionCount()
    let lingering = LingeringSockets()
    /// The server is stopping: each answer closes its connection.
    let isDraining = Atomic(false)
    private let handler: HTTPServer.Handler
    private let render: HTTPServer.RefusalRenderer
    private let headerMilliseconds: Int64
    private let bodyMilliseconds: Int64
    private let idleMilliseconds: Int64

    init(
        configuration: HTTPServer.Configuration,
        render: @escaping HTTPServer.RefusalRenderer,
        handler: @escaping HTTPServer.Handler
    ) {
        self.configuration = configuration
        self.render = render
        self.handler = handler
        headerMilliseconds = configuration.headerDeadline.milliseconds
        bodyMilliseconds = configuration.bodyDeadline.milliseconds
        idleMilliseconds = configuration.idleTimeout.milliseconds
    }

    // MARK: Connections

    func open(descriptor: Int32, remoteAddress: String) -> Connection {
        let connection = Connection(
            descriptor: descriptor,
            remoteAddress: remoteAddress,
            deadline: MonotonicClock.now + headerMilliseconds
        )
        connections.insert(connection)
        return connection
    }

    func close(_ connection: Connection) {
        if connection.lingers.load(ordering: .relaxed) { lingering.adopt(connection.descriptor) }
        connections.remove(connection)
    }

    // MARK: Exchanges

    /// The request line is complete; the rest of the head has its own time from here.
    func begin(_ connection: Connection) {
        let limit = MonotonicClock.now + headerMilliseconds
        if limit < connection.deadline.load(ordering: .relaxed) { connection.setDeadline(limit) }
    }

    func end(_ exchange: Exchange) {
        let connection = exchange.connection
        connection.handledExchange = nil
        connection.stream = nil
        connection.isBusy.store(false, ordering: .relaxed)
        connection.setDeadline(MonotonicClock.now + idleMilliseconds + headerMilliseconds)
    }

    /// Carries out one call of libmicrohttpd for an exchange.
    func advance(_ exchange: Exchange, _ call: AccessCall) -> MHD_Result {
        let offered = call.offered
        switch exchange.withMachine({ $0.call(offered: offered.count) }) {
        case .judgeHead:
            return judgeHead(of: exchange, call)
        case .keep(let head):
            return keep(offered, of: exchange, head, call)
        case .handle(let request):
            return handle(request, in: exchange, call)
        case .answer(let response):
            return send(response, in: exchange, call)
        case .wait:
            return .YES
        }
    }

    private func judgeHead(of exchange: Exchange, _ call: AccessCall) -> MHD_Result {
        let head: ServerRequest.Head
        let length: BodyLength
        do throws(Refusal) {
            let limit = configuration.maxTargetBytes
            (head, length) = try ServerRequest.Head.read(call, of: exchange, maxTargetBytes: limit)
        } catch {
            return refuse(error, nil, exchange, call)
        }
        if length.exceeds(configuration.maxBodyBytes(of: head)) {
            return refuse(tooLarge(head), head, exchange, call)
        }
        if head.method == .trace {
            return refuse(Refusal(.methodNotAllowed, "TRACE is not offered."), head, exchange, call)
        }
        exchange.withMachine { $0.accept(head, length: length) }
        exchange.connection.isBusy.store(true, ordering: .relaxed)
        let deadline = length.isEmpty ? MonotonicClock.never : MonotonicClock.now + bodyMilliseconds
        exchange.connection.setDeadline(deadline)
        return .YES
    }

    private func keep(
        _ bytes: UnsafeRawBufferPointer,
        of exchange: Exchange,
        _ head: ServerRequest.Head,
        _ call: AccessCall
    ) -> MHD_Result {
        let limit = configuration.maxBodyBytes(of: head)
        if exchange.withMachine({ $0.append(bytes, limit: limit) }) {
            call.acceptOffered()
            return .YES
        }
        exchange.withMachine { $0.refuse() }
        exchange.connection.lingers.store(true, ordering: .relaxed)
        EarlyAnswer(render(tooLarge(head), head)).send(to: exchange.connection.descriptor)
        return .NO
    }

    /// Starts the handler, on this thread up to its first wait: a handler that waits for nothing costs no change of
    /// thread. For one that waits the connection is suspended, and no thread waits with it.
    private func handle(_ request: ServerRequest, in exchange: Exchange, _ call: AccessCall) -> MHD_Result {
        exchange.connection.setDeadline(MonotonicClock.never)
        guard suspensions.enter() else { return refuse(shuttingDown, request.head, exchange, call) }
        // Not a child task: C has no scope to be its parent. It ends with its answer, and a stopping server cancels it.
        let task = Task.immediate { _ = self.answer(exchange, with: await self.handler(request)) }
        if let response = exchange.withMachine({ $0.takeEarlyAnswer() }) {
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

    /// - Returns: the handler's task when this answer came before its own.
    private func answer(_ exchange: Exchange, with response: ServerResponse) -> Task<Void, Never>? {
        guard let (suspended, task) = exchange.withMachine({ $0.answer(response) }) else { return nil }
        suspended.resume()
        suspensions.leave()
        return task
    }

    private func send(_ response: ServerResponse, in exchange: Exchange, _ call: AccessCall) -> MHD_Result {
        if case .stream(let stream) = response.body {
            exchange.connection.limitUnacknowledged(to: idleMilliseconds)
            exchange.connection.stream = stream
        }
        return response.queue(on: call.connection, closing: isDraining.load(ordering: .relaxed), suspensions)
    }

    // MARK: Refusals

    /// Answers in the handler's place. libmicrohttpd closes the connection after an answer to a head alone.
    private func refuse(
        _ refusal: Refusal,
        _ head: ServerRequest.Head?,
        _ exchange: Exchange,
        _ call: AccessCall
    ) -> MHD_Result {
        exchange.withMachine { $0.refuse() }
        exchange.connection.setDeadline(MonotonicClock.never)
        exchange.connection.lingers.store(true, ordering: .relaxed)
        return render(refusal, head).queue(on: call.connection, closing: true, suspensions)
    }

    /// Gives each client that reads a stream until then to take the rest of it.
    func limitStreams(to deadline: Int64) {
        for connection in connections.all where connection.stream != nil {
            if connection.deadline.load(ordering: .relaxed) > deadline { connection.setDeadline(deadline) }
        }
    }

    /// Answers each request whose handler still runs with 503, and cancels the handler; ends each body that is still
    /// coming.
    func abandonHandlers() {
        for connection in connections.all {
            connection.stream?.abandon()
            guard let exchange = connection.handledExchange else { continue }
            answer(exchange, with: render(shuttingDown, nil))?.cancel()
        }
    }

    private func tooLarge(_ head: ServerRequest.Head) -> Refusal {
        Refusal(.contentTooLarge, "The content is longer than \(configuration.maxBodyBytes(of: head)) bytes.")
    }

    private var shuttingDown: Refusal { Refusal(.shuttingDown, "The server is stopping.") }
}
