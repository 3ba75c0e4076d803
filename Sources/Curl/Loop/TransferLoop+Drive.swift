import CLibcurl

/// One turn of the loop: apply commands, drive libcurl, deliver results.
extension TransferLoop {
    /// How often deadlines are checked and slow bodies are passed on.
    private static var tickMilliseconds: Int32 { 250 }

    /// - Parameter maySleep: Called once all commands are applied.
    func drive(maySleep: @Sendable () -> Bool) {
        for command in mailbox.removeAll() { carryOut(command) }
        let longest = transfers.isEmpty ? longestSleep : Self.tickMilliseconds
        multi.poll(longest: maySleep() ? longest : 0)
        performAllIfDue()
        announceHeads()
        endFinished()
        tickIfDue()
        ownReference = transfers.isEmpty ? nil : self
    }

    /// Without transfers, in milliseconds: until a connection has been idle for too long.
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

    /// With two TLS connections, as of ftps, libcurl 7.88 may wait for a socket whose bytes it has read already.
    private func performAllIfDue() {
        let needsSecondLook = { (transfer: Transfer) in transfer.request.url.scheme.traits.needsSecondLook }
        guard ContinuousClock.now >= nextTick, transfers.values.contains(where: needsSecondLook) else { return }
        multi.performAll()
    }

    private func announceHeads() {
        guard !iteration.completedHeads.isEmpty else { return }
        let completed = iteration.completedHeads
        iteration.completedHeads = []
        for transfer in completed where transfer.failure == nil {
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
        iteration.connectionCache.closeIdle(at: now)
        for transfer in Array(transfers.values) {
            if !transfer.isHeadComplete && now >= transfer.headDeadline {
                abort(transfer, CurlError(.headTimeout))
            } else if transfer.outcome == nil {
                if !transfer.isHeadComplete && !transfer.hasSentRequest { transfer.handle?.processWithoutEvent() }
                if let address = transfer.removeOverdueAddress(at: now) {
                    iteration.connectionCache.requestIdleConnection(to: address, at: now)
                }
                pump(transfer)
            }
        }
    }

    /// Passes bytes to the sink as far as it accepts them, and completes the transfer if these were the last.
    func pump(_ transfer: Transfer) {
        transfer.flush()
        if transfer.failure == nil, transfer.isPaused, transfer.gather.isEmpty, let handle = transfer.handle {
            // Cleared first: libcurl may call back, and pause again, before this returns.
            transfer.isPaused = false
            let code = handle.unpause()
            if code != CURLE_OK { return end(transfer, code) }
        }
        if let failure = transfer.failure {
            abort(transfer, CurlError(failure))
        } else if let outcome = transfer.outcome, transfer.gather.isEmpty, transfer.endWaiter != nil {
            finish(transfer, outcome)
        }
    }

    /// libcurl has finished `transfer`; the sink may still have to accept its last bytes.
    private func end(_ transfer: Transfer, _ code: CURLcode) {
        if code == CURLE_OK {
            transfer.releaseHead()
            announceHeads()
        }
        let outcome = transfer.makeOutcome(code)
        release(transfer)
        if transfer.headWaiter != nil || transfer.failure != nil {
            // A success without a head does not occur: libcurl calls that an empty reply.
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

    /// Ends `transfer` by our own decision. If no task waits for it, the next call finds it in the table.
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
        // What follows is the same request.
        if transfer.failure != .connectionSpoilt || transfer.request.needsFreshConnection { transfer.request.onClose() }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
