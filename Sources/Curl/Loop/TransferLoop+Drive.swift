import CLibcurl

/// One iteration of the loop: apply commands, run libcurl, deliver results.
extension TransferLoop {
    /// The interval between checks of deadlines.
    private static var tickMilliseconds: Int32 { 250 }

    /// - Parameter maySleep: Called after all commands have been applied.
    func drive(maySleep: @Sendable () -> Bool) {
        for command in mailbox.removeAll() { carryOut(command) }
        let longest = transfers.isEmpty ? longestSleep : Self.tickMilliseconds
        iteration.isCrowded = transfers.count > TransferID.few
        multi.poll(longest: maySleep() ? longest : 0) { endReads() }
        performAllIfDue()
        announceHeads()
        endFinished()
        announceHeads(inDoubt: true)
        tickIfDue()
        _ = endReads()
        ownReference = transfers.isEmpty ? nil : self
    }

    /// The longest sleep without transfers, in milliseconds: until a connection has been idle for too long.
    private var longestSleep: Int32 {
        guard let due = iteration.connectionCache.nextDue else { return idleSleep }
        return min(idleSleep, Int32(clamping: max(due - .now, .zero).components.seconds * 1000 + 1000))
    }

    private func carryOut(_ command: TransferCommand) {
        switch command {
        case .resume(let id):
            guard let transfer = transfers[id] else { return }
            transfer.isSinkWaiting = false
            pump(transfer)
        case .abort(let id):
            guard let transfer = transfers[id] else { return }
            abort(transfer, CurlError(.aborted))
        case .discard(let id):
            discard(id)
        case .closeIdle(let address):
            iteration.connectionCache.closeOneIdle(to: address)
        }
    }

    /// Passes on what libcurl has read.
    ///
    /// - Returns: Whether the socket may rest: one transfer has read, and its body is slow.
    private func endReads() -> Bool {
        let readers = iteration.removeReaders()
        for transfer in readers where transfers[transfer.id] != nil {
            transfer.endRead()
            if let error = transfer.callbackError { abort(transfer, error) }
        }
        return readers.count == 1 && readers[0].mayRest
    }

    /// With two TLS connections, as with ftps, libcurl 7.88 may wait for a socket although it has already read its
    /// bytes.
    private func performAllIfDue() {
        let needsSecondLook = { (transfer: Transfer) in transfer.request.scheme.traits.needsSecondLook }
        guard ContinuousClock.now >= nextTick, transfers.values.contains(where: needsSecondLook) else { return }
        multi.performAll()
    }

    /// - Parameter inDoubt: Whether to announce also the heads at which libcurl may have ended the body. It would have
    ///   reported that by now.
    private func announceHeads(inDoubt: Bool = false) {
        guard !iteration.completedHeads.isEmpty else { return }
        let completed = iteration.completedHeads
        iteration.completedHeads = inDoubt ? [] : completed.filter(\.isEndInDoubt)
        for transfer in completed where transfer.failure == nil && (inDoubt || !transfer.isEndInDoubt) {
            transfer.isEndInDoubt = false
            transfer.headWaiter?.resume(returning: .success(transfer.makeHead()))
            transfer.headWaiter = nil
        }
    }

    private func endFinished() {
        while let (easy, code) = multi.nextEnded() {
            if let transfer = Transfer.behind(easy) { end(transfer, code) }
        }
    }

    private func tickIfDue() {
        let now = ContinuousClock.now
        guard now >= nextTick else { return }
        nextTick = now + .milliseconds(Self.tickMilliseconds)
        tick += 1
        multi.wakeRestingSockets()
        let count = transfers.count
        iteration.connectionCache.closeIdle(at: now)
        for transfer in Array(transfers.values) {
            transfer.watchUpload(at: now)
            if !transfer.isHeadComplete && now >= transfer.headDeadline {
                abort(transfer, CurlError(.headTimeout))
            } else if transfer.outcome == nil {
                if !transfer.isHeadComplete && !transfer.hasSentRequest { transfer.handle?.processWithoutEvent() }
                if let address = transfer.removeOverdueAddress(at: now) {
                    iteration.connectionCache.requestIdleConnection(to: address, at: now)
                }
                if transfer.id.isDelivered(at: tick, of: count) { pump(transfer) }
            }
        }
    }

    /// Passes buffered bytes to the sink as far as it accepts them, and completes the transfer after the last byte.
    func pump(_ transfer: Transfer) {
        transfer.flush()
        if transfer.failure == nil, transfer.isPaused, transfer.gather.isEmpty, let handle = transfer.handle {
            // Cleared first: libcurl may call back and pause again before `unpause()` returns.
            transfer.isPaused = false
            let code = handle.unpause()
            if code != CURLE_OK { return end(transfer, code) }
            if transfer.isPaused { handle.keepPaused() }
        }
        if let error = transfer.callbackError {
            abort(transfer, error)
        } else if let outcome = transfer.outcome, transfer.gather.isEmpty, transfer.endWaiter != nil {
            finish(transfer, outcome)
        }
    }

    /// Handles the end of a transfer in libcurl. The sink may not have accepted the last bytes yet.
    private func end(_ transfer: Transfer, _ code: CURLcode) {
        if code == CURLE_OK {
            transfer.releaseHead()
            transfer.endDoubt()
        } else {
            transfer.isEndInDoubt = false
        }
        announceHeads()
        if transfer.isLostUpload(.curl(Int32(code.rawValue))) { transfer.failure = .connectionSpoilt }
        let outcome = transfer.makeOutcome(code)
        release(transfer)
        if transfer.headWaiter != nil || transfer.failure != nil {
            abort(transfer, outcome.failure ?? CurlError(.gotNothing))
        } else {
            transfer.outcome = outcome
            pump(transfer)
        }
    }

    private func finish(_ transfer: Transfer, _ outcome: Transfer.Result<TransferEnd>) {
        transfers[transfer.id] = nil
        let end = outcome.map { end in
            TransferEnd(
                bytesReceived: transfer.deliveredBytes,
                isConnectionReused: end.isConnectionReused
            )
        }
        transfer.endWaiter?.resume(returning: end)
        transfer.endWaiter = nil
    }

    /// Aborts `transfer`. If no task waits for it, it stays in the table, and the next call receives the error.
    func abort(_ transfer: Transfer, _ error: CurlError) {
        release(transfer)
        if transfer.headWaiter != nil || transfer.endWaiter != nil { transfers[transfer.id] = nil }
        transfer.gather.removeAll()
        transfer.fail(error)
    }

    /// Removes the handle from libcurl, which closes the connection if the response was not complete.
    func release(_ transfer: Transfer) {
        guard let handle = transfer.handle else { return }
        multi.remove(handle)
        transfer.handle = nil
        transfer.releaseConnection()
        iteration.connectionCache.faults.forget(transfer.id)
        // If a transfer with a new connection follows for the same request, the request is not closed yet.
        if transfer.failure.flatMap(transfer.request.repetition(after:)) == nil { transfer.request.onClose() }
    }
}

extension TransferID {
    /// The number of transfers up to which all are served at each tick.
    static let few = 256
    /// The number of ticks in which all of many transfers are served once.
    private static let turns: UInt64 = 4

    /// Whether the bytes of a slow body are passed on at a tick: each of a few transfers at every tick, each of many at
    /// every fourth, since a delivery costs a write to the file. A full buffer is passed on at once.
    ///
    /// - Parameter count: The number of transfers.
    func isDelivered(at tick: UInt64, of count: Int) -> Bool {
        count <= Self.few || number % Self.turns == tick % Self.turns
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
