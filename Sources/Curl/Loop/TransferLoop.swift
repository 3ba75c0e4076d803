import Linux

/// Runs many HTTP transfers, or one FTP or SFTP transfer, on one thread of its own.
///
/// The actor is the thread: its executor is the loop that also drives libcurl, so handles, callbacks and this state are
/// used by nothing else, and the compiler checks it.
///
/// A transfer has two phases. ``start(_:)`` ends with the response's head; the caller validates it, and only
/// ``Exchange/receive(into:)`` reads the body. Two loops share no connection and no resolved name.
public actor TransferLoop {
    nonisolated let mailbox: Mailbox
    private nonisolated let thread: LoopThread
    let multi: MultiHandle
    var transfers: [TransferID: Transfer] = [:]
    /// The actor itself while it has transfers, because the thread that runs their handles must free them.
    var ownReference: TransferLoop?
    let iteration: LoopIteration
    var nextTick = ContinuousClock.now
    private var lastNumber: UInt64 = 0
    private var isShutDown = false
    private nonisolated let idle: IdleConnections
    private nonisolated let number: Int
    let idleSleep: Int32

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    public init() { self.init(sharing: IdleConnections(), number: 0) }

    /// One of several loops.
    ///
    /// - Parameters:
    ///   - idle: The shared table of idle connections.
    ///   - number: The loop's number.
    public init(sharing idle: IdleConnections, number: Int) {
        do {
            try self.init(idleSleep: 10_000, idle, number)
        } catch {
            preconditionFailure("no thread for transfers: \(error.message)")
        }
    }

    /// A loop made while others work; there may be no descriptor or thread for it.
    ///
    /// - Throws: `outOfResources`, with the call that failed.
    public static func further(sharing idle: IdleConnections, number: Int) throws(CurlError) -> TransferLoop {
        try make(idleSleep: 10_000, idle, number)
    }

    /// The same for one transfer, with a thread that ends soon after its release.
    public static func forOneTransfer() throws(CurlError) -> TransferLoop {
        try make(idleSleep: 50, IdleConnections(), 0)
    }

    private static func make(
        idleSleep: Int32,
        _ idle: IdleConnections,
        _ number: Int
    ) throws(CurlError) -> TransferLoop {
        do throws(SystemError) {
            return try TransferLoop(idleSleep: idleSleep, idle, number)
        } catch {
            throw CurlError(.outOfResources, message: error.message)
        }
    }

    /// - Parameter idleSleep: How long the thread, which then retains the loop, may sleep without transfers, in
    ///   milliseconds; commands and jobs wake it.
    private init(idleSleep: Int32, _ idle: IdleConnections, _ number: Int) throws(SystemError) {
        self.idleSleep = idleSleep
        self.idle = idle
        self.number = number
        thread = try LoopThread()
        mailbox = Mailbox(thread: thread)
        iteration = LoopIteration(mailbox: mailbox, ConnectionCache(shared: idle, loop: number))
        multi = MultiHandle(poll: thread.poll, iteration.connectionCache)
        idle.enter(mailbox, loop: number)
        try thread.start { [weak self] maySleep in self?.assumeIsolated { $0.drive(maySleep: maySleep) } }
    }

    deinit {
        // No transfer is left, and a job retains its actor, so no more can come.
        idle.leave(loop: number)
        thread.stop()
    }

    /// Sends `request` and waits for the response's head, past any interim response.
    ///
    /// The connection is closed if the task is cancelled.
    public func start(_ request: TransferRequest) async throws(CurlError) -> Exchange {
        var request = request
        while true {
            lastNumber += 1
            let id = TransferID(number: lastNumber)
            let received = ByteCounter()
            let head = await withTaskCancellationHandler {
                await withCheckedContinuation { add(id, request, received, waiter: $0) }
            } onCancel: {
                mailbox.post(.abort(id))
            }
            if case .failure(let error) = head, error.code == .connectionSpoilt, !request.needsFreshConnection {
                request.needsFreshConnection = true
                continue
            }
            return Exchange(head: try head.get(), received: received, loop: self, id: id)
        }
    }

    /// Fails every transfer in flight with `aborted`, and each later one.
    public func shutdown() {
        isShutDown = true
        for transfer in transfers.values { abort(transfer, CurlError(.aborted)) }
        transfers = [:]
    }

    func receive(_ id: TransferID, into sink: any BodySink) async throws(CurlError) -> TransferEnd {
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { deliver(id, to: sink, waiter: $0) }
        } onCancel: {
            mailbox.post(.abort(id))
        }
        return try end.get()
    }

    func discard(_ id: TransferID) {
        guard let transfer = transfers[id] else { return }
        abort(transfer, CurlError(.aborted))
        transfers[id] = nil
    }
}

/// One step, so that no turn of the loop comes between a transfer and its waiter.
///
/// A cancellation before this step found no transfer to abort, so it is checked here.
extension TransferLoop {
    private func add(
        _ id: TransferID,
        _ request: TransferRequest,
        _ received: ByteCounter,
        waiter: Transfer.Waiter<ResponseHead>
    ) {
        guard !isShutDown, !Task.isCancelled else { return waiter.resume(returning: .failure(CurlError(.aborted))) }
        do throws(CurlError) {
            let transfer = try makeTransfer(id, request, received)
            transfer.headWaiter = waiter
            transfers[id] = transfer
        } catch {
            waiter.resume(returning: .failure(error))
        }
    }

    private func makeTransfer(
        _ id: TransferID,
        _ request: TransferRequest,
        _ received: ByteCounter
    ) throws(CurlError) -> Transfer {
        let handle = try EasyHandle()
        let transfer = Transfer(id: id, handle: handle, request: request, received: received, iteration: iteration)
        try handle.configure(for: request)
        try transfer.installCallbacks(on: handle)
        multi.add(handle)
        return transfer
    }

    private func deliver(_ id: TransferID, to sink: any BodySink, waiter: Transfer.Waiter<TransferEnd>) {
        guard let transfer = transfers[id], transfer.endWaiter == nil else {
            return waiter.resume(returning: .failure(CurlError(.aborted)))
        }
        transfer.endWaiter = waiter
        transfer.sink = sink
        if Task.isCancelled { abort(transfer, CurlError(.aborted)) } else { pump(transfer) }
    }
}
