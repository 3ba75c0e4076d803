import Linux

/// Runs many HTTP transfers, or a single FTP or SFTP transfer, on its own thread.
///
/// The executor of this actor is the thread that also runs libcurl. Only this thread uses handles, callbacks and this
/// state, and the compiler checks it.
///
/// A transfer has two phases. ``start(_:)`` returns when the response's head has arrived. The caller validates the
/// head, and ``Exchange/receive(into:)`` then receives the body. Loops do not share connections or resolved names.
public actor TransferLoop: ExchangeLoop {
    nonisolated let mailbox: Mailbox
    private nonisolated let thread: LoopThread
    let multi: MultiHandle
    var transfers: [TransferID: Transfer] = [:]
    /// A reference to the actor itself while it has transfers: their handles must be freed on its thread.
    var ownReference: TransferLoop?
    let iteration: LoopIteration
    var nextTick = ContinuousClock.now
    /// The number of the last tick.
    var tick: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var isShutDown = false
    private nonisolated let idle: IdleConnections
    private nonisolated let number: Int
    let idleSleep: Int32

    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    public init() { self.init(sharing: IdleConnections(), number: 0) }

    /// Creates one of several loops.
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

    /// Creates a loop while others run. The process may have no descriptor or thread left for it.
    ///
    /// - Throws: `outOfResources`, with the name of the failed call.
    public static func further(sharing idle: IdleConnections, number: Int) throws(CurlError) -> TransferLoop {
        try make(idleSleep: 10_000, idle, number)
    }

    /// Creates a loop for one transfer. Its thread ends soon after the loop is released.
    ///
    /// - Throws: `outOfResources`, with the name of the failed call.
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

    /// - Parameter idleSleep: How long the thread may sleep without transfers, in milliseconds. It retains the loop
    ///   during this time. Commands and jobs wake it.
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
        // No transfer is left, and no new one can start, because a job would retain the actor.
        idle.leave(loop: number)
        thread.stop()
    }

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
            if case .failure(let error) = head, let next = request.repetition(after: error.code) {
                request = next
                continue
            }
            return Exchange(head: try head.get(), received: received, loop: self, id: id)
        }
    }

    public func shutdown() {
        isShutDown = true
        for transfer in transfers.values { abort(transfer, CurlError(.aborted)) }
        transfers = [:]
    }

    public func receive(_ id: TransferID, into sink: any BodySink) async throws(CurlError) -> TransferEnd {
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { deliver(id, to: sink, waiter: $0) }
        } onCancel: {
            mailbox.post(.abort(id))
        }
        return try end.get()
    }

    public nonisolated func resume(_ id: TransferID) { mailbox.post(.resume(id)) }

    public nonisolated func abandon(_ id: TransferID) { mailbox.post(.discard(id)) }

    public func discard(_ id: TransferID) {
        guard let transfer = transfers[id] else { return }
        abort(transfer, CurlError(.aborted))
        transfers[id] = nil
    }
}

/// Each of these methods is one actor job, so that no iteration runs between adding a transfer and setting its waiter.
///
/// A cancellation before the job found no transfer to abort, so each method checks for it.
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
