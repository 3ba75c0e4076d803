import Curl
import Linux
import Model

/// What a connection asks for, and where its bytes go.
extension SegmentedTransfer {
    /// The request for a share: a closed range, under the condition that the file is the same.
    func request(for next: NextShare) -> RequestAsked {
        let range =
            switch next {
            case .fetch(let share): share.start..<share.end
            case .steal(let steal): steal.proposedEnd..<steal.end
            }
        let plan = ResumePlan(resuming: stored, at: range.lowerBound, through: range.upperBound - 1)
        return RequestAsked(plan, segmentIndex: 1) ?? RequestAsked(segmentIndex: 1)
    }

    /// The connections that the hosts bear, for all downloads together.
    var hostCap: Int { authorities.map(engine.hosts.cap).min() ?? ceiling }

    /// How many of `wanted` further connections the hosts let in.
    func hostRoom(for wanted: Int) -> Int {
        authorities.map { engine.hosts.room(for: wanted, at: $0, of: download.id) }.min() ?? wanted
    }

    func ask(_ asked: RequestAsked) async throws(AttemptInterruption) -> OriginClient.Answer {
        try await origin.ask(download.request.url, for: asked, storedFrom: source.finalURL, now: engine.time.now)
    }

    /// Where the bytes of an answer pass the limits on their rate.
    func gate(for exchange: Exchange, from authority: String) -> RateGate {
        engine.limiter.gate(for: rate, authority: authority) { [weak exchange] in exchange?.resume() }
    }

    /// - Parameters:
    ///   - limit: One past the last byte that the answer holds, to which it goes on where nobody else fetches them.
    ///   - gate: nil for bytes that have passed one already.
    ///   - begin: Asked at the first byte for one past the last that is the connection's; nil where none is any more.
    ///   - wake: Told for each window that is to be flushed; nil where the end of the body is early enough.
    func writer(
        for connection: ConnectionID,
        from start: Int64,
        limit: Int64,
        gate: RateGate?,
        wake: (@Sendable () -> Void)?,
        begin: @escaping @Sendable () -> Int64?
    ) -> SegmentWriter {
        let pool = engine.pool
        return SegmentWriter(
            file: part.file,
            from: start,
            begin: { begin().map { min($0, limit) } },
            maxBytes: download.request.maxBytes,
            window: settings.flushBytes,
            gate: gate,
            wake: wake,
            writeback: { [file = part.file] offset, length in
                // A hint to the kernel; the flush that counts reports what goes wrong.
                pool.submit { try? file.startWriteback(offset: offset, length: length) }
            },
            onAdvance: { [plan, digester, meter] end in
                let written = plan.advance(connection, to: end)
                digester?.advance(to: written.contiguousEnd)
                meter.advance(to: written.bytes, connections: written.connections)
            },
            extend: { [plan] in plan.extend(connection, upTo: limit) }
        )
    }

    var flusher: Flusher {
        Flusher(engine: engine, part: part, plan: plan, keeper: keeper) { segments, blocks in
            Checkpoint(
                generation: generation,
                source: source,
                totalBytes: stored.total,
                segments: segments,
                blocks: blocks,
                isProgress: !isRegaining
            )
        }
    }
}
