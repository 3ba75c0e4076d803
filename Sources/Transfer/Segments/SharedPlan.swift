import Core
import Curl
import Synchronization
import TransferRules

/// The segment plan of a running download, and the writers of its connections. Connections take shares from it, writers
/// report progress to it, and flushes read from it what to record.
final class SharedPlan: Sendable {
    /// A connection that receives the body of its share.
    fileprivate struct Receiver {
        let writer: SegmentWriter
        let exchange: Exchange
        /// The first byte of its share.
        let start: Int64
        var pace = SpeedGauge(window: ConnectionPace.window, spacing: .milliseconds(50))

        /// The rate of the connection; nil if nothing was transferred. If the share is younger than the minimum
        /// measuring time, that time is used.
        func rate(at now: Duration) -> Double? {
            let received = exchange.receivedBytes
            var pace = pace
            pace.advance(to: received, now: now)
            let isMeasured = pace.age(at: now) >= ConnectionPace.leastAge
            let rate = isMeasured ? pace.bytesPerSecond(at: now) : Double(received) / ConnectionPace.leastAge.inSeconds
            return rate > 0 ? rate : nil
        }
    }

    fileprivate struct State {
        var plan: SegmentPlan
        var receivers: [ConnectionID: Receiver] = [:]
        /// The last recorded segments.
        var recorded: [Segment]
        /// The shortest measured response times.
        var responseLatency: ResponseLatency
        /// The approximate maximum number of bytes per request; nil until the first further share is chosen.
        var mostShare: Int64?
        /// When the response of each connection began, or is expected to begin.
        var starts: [ConnectionID: ResponseStart] = [:]
        /// The number of open connections that ended because no share was worth a request.
        var spare = 0
        /// The maximum number of connections for the download.
        var connectionLimit = Int.max
        /// The rate of a connection that has ended, used as a reference for the last one.
        var earlierRate: Double?
        /// The bytes received by connections that have ended.
        var earlierBytes: Int64 = 0
        var lastNumber = -1
        /// Digests of written bytes that are not recorded yet, by their start offsets.
        var unrecorded: [Int64: BlockDigest] = [:]
        /// The unfinished blocks of writers that have ended. Writers that start at their ends continue them.
        var runs: [BlockRun] = []
    }

    private let state: Mutex<State>
    private let time: TimeSource
    private let began: Duration
    /// Whether the file's size is unknown. The end of the plan then has no meaning.
    let isOpenEnded: Bool

    /// - Parameter time: The clock for measuring the connections' rates.
    /// - Parameter runs: The unfinished blocks of the writers of earlier responses.
    init(_ plan: SegmentPlan, isOpenEnded: Bool = false, runs: [BlockRun] = [], time: TimeSource) {
        self.time = time
        began = time.elapsed
        self.isOpenEnded = isOpenEnded
        let recorded = plan.recordable(isOpenEnded: isOpenEnded)
        state = Mutex(State(plan: plan, recorded: recorded, responseLatency: ResponseLatency(), runs: runs))
    }

    /// Creates the id of a connection without a share.
    func makeConnection() -> ConnectionID {
        state.withLock { state in
            state.lastNumber += 1
            return ConnectionID(state.lastNumber)
        }
    }

    // MARK: - Shares

    /// The first share is the rest of the file, which the first response supplies.
    func firstShare(for connection: ConnectionID) -> ShareAssignment? {
        state.withLock { $0.plan.nextShare(for: connection, leastShare: 0) }
    }

    /// The next share of an idle connection; nil if none is worth a request.
    ///
    /// - Parameters:
    ///   - isOpen: Whether the connection is open, so that a request costs only the time to its response.
    ///   - minimum: The smallest share while the connections' rates are unknown.
    ///   - parts: The maximum number of connections. The missing bytes are divided by it, so that other connections
    ///     rarely shorten a share.
    func nextShare(for connection: ConnectionID, isOpen: Bool, minimum: Int64, parts: Int) -> ShareAssignment? {
        let now = time.elapsed
        return state.withLock { state in
            guard state.plan.connections.count(where: { $0 != connection }) < state.connectionLimit else {
                state.plan.release(connection)
                return nil
            }
            let mostShare = state.mostShare ?? max(state.plan.missingBytes / Int64(max(parts, 1)), minimum)
            state.mostShare = mostShare
            let terms = state.terms(at: now, isOpen: isOpen, minimum: minimum)
            let starts = state.starts
            let next = state.plan.nextShare(for: connection, leastShare: terms.leastShare, mostShare: mostShare) {
                terms.division(of: $1, from: starts[$0], at: now)
            }
            if next != nil { state.starts[connection] = terms.start(at: now) }
            return next
        }
    }

    /// Sets the desired number of connections. Connections above this number get no further share.
    func setLimit(_ count: Int) { state.withLock { $0.connectionLimit = count } }

    /// Records a connection that has ended while its TCP connection stays open.
    func recordSpare() { state.withLock { $0.spare += 1 } }

    /// Whether a further connection can reuse an open TCP connection. If so, it is no longer counted as spare.
    func removeSpare() -> Bool {
        state.withLock { state in
            defer { state.spare = max(state.spare - 1, 0) }
            return state.spare > 0
        }
    }

    /// Assigns a share to its connection when its first byte arrives.
    ///
    /// - Parameter setEnd: Sets the writer's end offset before another connection can take part of the share. It is not
    ///   called if the share now begins elsewhere or is empty.
    func begin(_ next: ShareAssignment, _ setEnd: (Int64) -> Void) {
        state.withLock { state in
            switch next {
            case .fetch(let share):
                if let end = state.plan.end(of: share.connection) { setEnd(end) }
            case .split(let split):
                if let share = state.finish(split), share.start == split.proposedEnd { setEnd(share.end) }
            }
        }
    }

    /// Whether another connection would get a share.
    func hasShare(minimum: Int64) -> Bool {
        let now = time.elapsed
        return state.withLock { state in
            let terms = state.terms(at: now, isOpen: state.spare > 0, minimum: minimum)
            var plan = state.plan
            let (other, mostShare) = (ConnectionID(state.lastNumber + 1), state.mostShare ?? .max)
            let next = plan.nextShare(for: other, leastShare: terms.leastShare, mostShare: mostShare) {
                terms.division(of: $1, from: state.starts[$0], at: now)
            }
            return next != nil
        }
    }

    /// Returns a share for which no byte was received.
    func returnShare(_ next: ShareAssignment, of connection: ConnectionID) {
        state.withLock { state in
            state.starts[connection] = nil
            switch next {
            case .fetch: state.plan.release(connection)
            case .split(let split): state.plan.abandon(split)
            }
        }
    }

    /// Adds the writer of a share before its first byte.
    ///
    /// - Parameter responseLatency: The time from the request to the head of its response; nil if it was not measured.
    func attach(
        _ connection: ConnectionID,
        _ writer: SegmentWriter,
        _ exchange: Exchange,
        _ responseLatency: ResponseLatency?
    ) {
        let now = time.elapsed
        state.withLock { state in
            var receiver = Receiver(writer: writer, exchange: exchange, start: writer.writtenEnd)
            receiver.pace.begin(at: exchange.receivedBytes, now: now)
            state.receivers[connection] = receiver
            // The first connection has none yet.
            state.starts[connection, default: ResponseStart(firstByteAt: now, isFresh: true)].firstByteAt = now
            if let responseLatency { state.responseLatency.record(responseLatency) }
        }
    }

    /// Extends the share of a connection, if its response has more bytes that no other connection fetches.
    func extend(_ connection: ConnectionID, upTo limit: Int64, _ setEnd: (Int64) -> Void) {
        state.withLock { state in
            if let end = state.plan.extend(connection, upTo: limit, mostShare: state.mostShare ?? .max) { setEnd(end) }
        }
    }

    /// Removes a connection whose writer has ended, and its share.
    func release(_ connection: ConnectionID) {
        let now = time.elapsed
        state.withLock { state in
            if let receiver = state.receivers.removeValue(forKey: connection) {
                state.earlierRate = receiver.rate(at: now) ?? state.earlierRate
                state.earlierBytes += receiver.exchange.receivedBytes
                if let run = receiver.writer.currentBlockRun { state.runs.append(run) }
            }
            state.starts[connection] = nil
            state.plan.release(connection)
        }
    }

    // MARK: - Progress

    /// Records the position of a connection's writer.
    ///
    /// - Parameter digests: The new digests up to this position.
    func advance(_ connection: ConnectionID, to position: Int64, _ digests: [BlockDigest] = []) -> Written {
        state.withLock { state in
            if state.plan.advance(connection, writtenTo: position) {
                for digest in digests { state.unrecorded[digest.start] = digest }
            }
            return state.written
        }
    }

    var written: Written {
        state.withLock { $0.written }
    }

    var isComplete: Bool { state.withLock { $0.plan.isComplete } }

    /// The durable and recorded segments.
    var recordedSegments: [Segment] { state.withLock { $0.recorded } }

    /// The written bytes that may not be durable, and their unrecorded digests.
    func snapshot() -> (FlushSnapshot, [BlockDigest]) {
        state.withLock { ($0.plan.snapshot(), $0.digests) }
    }

    /// The unrecorded digests of written bytes.
    var unrecordedBlocks: [BlockDigest] { state.withLock { $0.digests } }

    /// The unfinished blocks of writers that have ended.
    var runs: [BlockRun] { state.withLock { $0.runs } }

    /// Removes the unfinished block that ends at `position`, or creates an empty one. A new writer continues it.
    func removeRun(from position: Int64) -> BlockRun {
        state.withLock { state in
            guard let index = state.runs.firstIndex(where: { $0.end == position }) else {
                return BlockRun(from: position)
            }
            return state.runs.remove(at: index)
        }
    }

    /// Records that the flush of a snapshot succeeded.
    ///
    /// Digests of bytes that the segments do not name stay unrecorded: while the flush ran, two segments may have
    /// become one, with bytes in its middle that are not durable. The next flush names the bytes after these.
    ///
    /// - Parameter blocks: The digests of the snapshot.
    /// - Returns: The segments and the digests to record.
    func markDurable(_ snapshot: FlushSnapshot, _ blocks: [BlockDigest]) -> ([Segment], [BlockDigest]) {
        let segments = state.withLock { state in
            state.plan.markDurable(snapshot)
            return state.plan.recordable(isOpenEnded: isOpenEnded)
        }
        let durable = segments.durableRanges
        return (segments, blocks.filter { block in durable.contains { $0.contains(block.range) } })
    }

    /// Records that `segments` and `blocks` are stored, and resumes transfers that waited for the record.
    func updateRecorded(_ segments: [Segment], _ blocks: [BlockDigest]) {
        let receivers = state.withLock { state in
            state.recorded = segments
            for block in blocks where state.unrecorded[block.start] == block { state.unrecorded[block.start] = nil }
            return Array(state.receivers.values)
        }
        for receiver in receivers where receiver.writer.clearWaiting() { receiver.exchange.resume() }
    }

    /// The ranges of the file as they are now.
    ///
    /// - Parameter soleRate: The rate of the download, which is the rate of a connection that has been the only one.
    func readings(_ authorities: [ConnectionID: String], soleRate: Double) -> [SegmentReading] {
        let now = time.elapsed
        // Computed outside the lock, which every writer takes for each write.
        let (plan, receivers, isSole) = state.withLock { state in
            (state.plan, state.receivers, state.receivers.count == 1 && state.earlierBytes == 0)
        }
        return plan.readings(isOpenEnded: isOpenEnded) { id in
            receivers[id].map { receiver in
                ConnectionReading(
                    start: receiver.start,
                    bytesPerSecond: isSole ? soleRate : receiver.rate(at: now) ?? 0,
                    authority: authorities[id]
                )
            }
        }
    }

    // MARK: - Rates

    /// The bytes that all connections have received so far.
    var receivedBytes: Int64 {
        state.withLock { state in
            state.receivers.values.reduce(state.earlierBytes) { $0 + $1.exchange.receivedBytes }
        }
    }

    /// The current rates, for ``ConnectionRamp``.
    func reading(ceiling: Int) -> RampSample {
        let now = time.elapsed
        return state.withLock { state in
            let received = state.receivers.mapValues { $0.exchange.receivedBytes }
            for (connection, bytes) in received { state.receivers[connection]?.pace.advance(to: bytes, now: now) }
            return RampSample(
                at: now - began,
                receivedBytes: received.values.reduce(state.earlierBytes, +),
                connections: received.values.count { $0 > 0 },
                remainingBytes: state.plan.missingBytes,
                roundTrip: state.responseLatency.roundTrip,
                ceiling: ceiling
            )
        }
    }

    /// The transfers to stop because other connections would fetch their bytes sooner, as of the last sample.
    func slowExchanges() -> [Exchange] {
        let now = time.elapsed
        return state.withLock { state in
            let rates = state.rates(at: now)
            // A single connection is replaced only once. If the origin sends nothing at all, the timeouts apply.
            let earlierRate = state.earlierRate
            return state.receivers.compactMap { connection, receiver in
                let fellows = rates.filter { $0.key != connection }.map(\.value)
                let isSlow = ConnectionPace.isSlow(
                    rate: receiver.pace.age(at: now) >= ConnectionPace.window ? rates[connection] : nil,
                    fellowsMedian: ConnectionPace.median(fellows) ?? earlierRate,
                    silence: receiver.pace.silence(at: now),
                    roundTrip: state.responseLatency.roundTrip ?? .zero
                )
                guard isSlow else { return nil }
                if fellows.isEmpty { state.earlierRate = nil }
                return receiver.exchange
            }
        }
    }
}

extension SharedPlan.State {
    /// Limits the writer of the split connection to the start of the new share, if the split is still possible. A
    /// writer of a later share must not be limited.
    fileprivate mutating func finish(_ split: ShareSplit) -> SegmentShare? {
        guard plan.awaits(split) else { return nil }
        let victimEnd = receivers[split.victim]?.writer.limit(to: split.proposedEnd)
        return plan.finish(split, victimEnd: victimEnd ?? split.proposedEnd)
    }

    fileprivate var digests: [BlockDigest] { unrecorded.values.sorted { $0.start < $1.start } }

    fileprivate var written: SharedPlan.Written {
        SharedPlan.Written(
            bytes: plan.writtenBytes,
            contiguousEnd: plan.contiguousEnd,
            connections: receivers.count
        )
    }

    fileprivate func rates(at now: Duration) -> [ConnectionID: Double] {
        receivers.compactMapValues {
            $0.pace.age(at: now) >= ConnectionPace.leastAge ? $0.pace.bytesPerSecond(at: now) : nil
        }
    }

    fileprivate func terms(at now: Duration, isOpen: Bool, minimum: Int64) -> ShareTerms {
        let rates = rates(at: now)
        // At the end of a file all shares may be too new for a measurement.
        let mean = rates.isEmpty ? earlierRate : rates.values.reduce(0, +) / Double(rates.count)
        return ShareTerms(
            rate: mean,
            roundTrip: responseLatency.roundTrip ?? .zero,
            isOpen: isOpen,
            minimum: minimum
        )
    }
}
