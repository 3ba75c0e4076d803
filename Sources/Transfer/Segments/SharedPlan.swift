import Core
import Curl
import Synchronization
import TransferRules

/// The segment plan of a running download, with the writers of its connections: where connections take their shares,
/// writers report, and flushes find what to record.
final class SharedPlan: Sendable {
    /// A connection that has a share and takes its body.
    fileprivate struct Receiver {
        let writer: SegmentWriter
        let exchange: Exchange
        var pace = SpeedGauge(window: ConnectionPace.window, spacing: .milliseconds(50))

        /// Its rate at its end; nil if nothing was transferred. If a share ended too soon for a measurement, the
        /// shortest measuring time is assumed.
        func finalRate(at now: Duration) -> Double? {
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
        /// The segments as they were recorded last.
        var recorded: [Segment]
        /// The least times to an answer that were seen.
        var responseLatency: ResponseLatency
        /// About the most bytes that one connection asks for; nil before a second one has asked.
        var mostShare: Int64?
        /// From when on each connection is expected to have its full rate.
        var readyAt: [ConnectionID: Duration] = [:]
        /// Connections that were at their end, open still, when nothing was worth a request.
        var spare = 0
        /// The connections that the download should have.
        var connectionLimit = Int.max
        /// The rate of a connection that is at work no more, for the last one to be measured by.
        var earlierRate: Double?
        /// What connections have received that are at work no more.
        var earlierBytes: Int64 = 0
        var lastNumber = -1
        /// The digests of what is written that are not recorded, by their starts.
        var unrecorded: [Int64: BlockDigest] = [:]
        /// The unfinished blocks of writers that are done, for the writers that continue behind them.
        var runs: [BlockRun] = []
    }

    private let state: Mutex<State>
    private let time: TimeSource
    private let began: Duration
    /// Whether the file's size is unknown, so that the plan's end has no meaning.
    let isOpenEnded: Bool

    /// - Parameter time: What the pace of the connections is measured by.
    /// - Parameter runs: The unfinished blocks of the writers of earlier answers.
    init(_ plan: SegmentPlan, isOpenEnded: Bool = false, runs: [BlockRun] = [], time: TimeSource) {
        self.time = time
        began = time.elapsed
        self.isOpenEnded = isOpenEnded
        let recorded = plan.recordable(isOpenEnded: isOpenEnded)
        state = Mutex(State(plan: plan, recorded: recorded, responseLatency: ResponseLatency(), runs: runs))
    }

    /// A connection that has no share yet.
    func makeConnection() -> ConnectionID {
        state.withLock { state in
            state.lastNumber += 1
            return ConnectionID(state.lastNumber)
        }
    }

    // MARK: - Sharing

    /// The first share, which is the rest of the file: what is fetched from its start on is the first answer's.
    func firstShare(for connection: ConnectionID) -> ShareAssignment? {
        state.withLock { $0.plan.nextShare(for: connection, leastShare: 0) }
    }

    /// The next share of an idle connection; nil if none is worth a request.
    ///
    /// - Parameters:
    ///   - isOpen: Whether the connection is open, so that it loses no time but that of the question.
    ///   - minimum: The least share while nothing is known of the connections' rate.
    ///   - parts: How many connections there may be: each asks for as much as would be its own then, so that few are
    ///     cut off by others.
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
            let readyAt = state.readyAt
            let next = state.plan.nextShare(
                for: connection,
                leastShare: terms.leastShare,
                lead: { terms.lead(of: readyAt[$0], at: now) },
                mostShare: mostShare
            )
            if next != nil { state.readyAt[connection] = now + terms.delay }
            return next
        }
    }

    /// Sets the wanted number of connections. A connection above this number gets no further share.
    func setLimit(_ count: Int) { state.withLock { $0.connectionLimit = count } }

    /// Records that a connection has ended whose TCP connection stays open.
    func recordSpare() { state.withLock { $0.spare += 1 } }

    /// Whether a further connection can reuse an open one; if so, takes it.
    func removeSpare() -> Bool {
        state.withLock { state in
            defer { state.spare = max(state.spare - 1, 0) }
            return state.spare > 0
        }
    }

    /// Makes a share the connection's, at its first byte.
    ///
    /// - Parameter setEnd: Sets one past the last byte in the writer, before another connection can take some of the
    ///   share; not called if the share begins elsewhere by now, or nothing is left.
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

    /// Whether another connection would find something to fetch.
    func hasShare(minimum: Int64) -> Bool {
        let now = time.elapsed
        return state.withLock { state in
            let terms = state.terms(at: now, isOpen: state.spare > 0, minimum: minimum)
            var plan = state.plan
            let next = plan.nextShare(
                for: ConnectionID(state.lastNumber + 1),
                leastShare: terms.leastShare,
                lead: { terms.lead(of: state.readyAt[$0], at: now) },
                mostShare: state.mostShare ?? .max
            )
            return next != nil
        }
    }

    /// Gives back what a connection was to fetch and did not begin with.
    func returnShare(_ next: ShareAssignment, of connection: ConnectionID) {
        state.withLock { state in
            state.readyAt[connection] = nil
            switch next {
            case .fetch: state.plan.release(connection)
            case .split(let split): state.plan.abandon(split)
            }
        }
    }

    /// Enters the writer of a share before its first byte.
    ///
    /// - Parameter responseLatency: The time from the request to the head of its answer; nil where it was not measured.
    func attach(
        _ connection: ConnectionID,
        _ writer: SegmentWriter,
        _ exchange: Exchange,
        _ responseLatency: ResponseLatency?
    ) {
        let now = time.elapsed
        state.withLock { state in
            var receiver = Receiver(writer: writer, exchange: exchange)
            receiver.pace.begin(at: exchange.receivedBytes, now: now)
            state.receivers[connection] = receiver
            if let responseLatency { state.responseLatency.record(responseLatency) }
        }
    }

    /// Extends the share of a connection, if its response has more bytes that no other connection fetches.
    func extend(_ connection: ConnectionID, upTo limit: Int64, _ setEnd: (Int64) -> Void) {
        state.withLock { state in
            if let end = state.plan.extend(connection, upTo: limit, mostShare: state.mostShare ?? .max) { setEnd(end) }
        }
    }

    /// Takes its share from a connection whose writer writes no more.
    func release(_ connection: ConnectionID) {
        let now = time.elapsed
        state.withLock { state in
            if let receiver = state.receivers.removeValue(forKey: connection) {
                state.earlierRate = receiver.finalRate(at: now) ?? state.earlierRate
                state.earlierBytes += receiver.exchange.receivedBytes
                if let run = receiver.writer.run { state.runs.append(run) }
            }
            state.readyAt[connection] = nil
            state.plan.release(connection)
        }
    }

    // MARK: - Progress

    /// What is written of the file.
    struct Written {
        let bytes: Int64
        /// How far it is whole from its start.
        let contiguousEnd: Int64
        /// The connections that have a share of it.
        let connections: Int
    }

    /// Records how far a connection has written.
    ///
    /// - Parameter digests: Those that are new by it.
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

    /// The segments that are durable and recorded.
    var recordedSegments: [Segment] { state.withLock { $0.recorded } }

    /// What is written and not known to be durable, with the digests of it that are not recorded.
    func snapshot() -> (FlushSnapshot, [BlockDigest]) {
        state.withLock { ($0.plan.snapshot(), $0.digests) }
    }

    /// The digests of what is written that are not recorded.
    var unrecordedBlocks: [BlockDigest] { state.withLock { $0.digests } }

    /// The unfinished blocks of writers that are done.
    var runs: [BlockRun] { state.withLock { $0.runs } }

    /// The unfinished block with which a writer that begins there continues.
    func removeRun(from position: Int64) -> BlockRun {
        state.withLock { state in
            guard let index = state.runs.firstIndex(where: { $0.end == position }) else {
                return BlockRun(from: position)
            }
            return state.runs.remove(at: index)
        }
    }

    /// Records that the flush of a snapshot has succeeded.
    ///
    /// - Returns: The segments to record.
    func markDurable(_ snapshot: FlushSnapshot) -> [Segment] {
        state.withLock { state in
            state.plan.markDurable(snapshot)
            return state.plan.recordable(isOpenEnded: isOpenEnded)
        }
    }

    /// Records that `segments` and `blocks` are stored, and resumes transfers that waited for that.
    func updateRecorded(_ segments: [Segment], _ blocks: [BlockDigest]) {
        let receivers = state.withLock { state in
            state.recorded = segments
            for block in blocks where state.unrecorded[block.start] == block { state.unrecorded[block.start] = nil }
            return Array(state.receivers.values)
        }
        for receiver in receivers where receiver.writer.clearWaiting() { receiver.exchange.resume() }
    }

    // MARK: - Pace

    /// What all connections have received so far.
    var receivedBytes: Int64 {
        state.withLock { state in
            state.receivers.values.reduce(state.earlierBytes) { $0 + $1.exchange.receivedBytes }
        }
    }

    /// The current rates, for the rule that decides the number of connections.
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

    /// The transfers to stop, because others fetch their bytes sooner, by the last reading.
    func slowExchanges() -> [Exchange] {
        let now = time.elapsed
        return state.withLock { state in
            let rates = state.rates(at: now)
            // The only connection is replaced once; an origin that is silent altogether is left to the timeouts.
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
    /// Limits the victim's writer to the start of the thief's share, if that is still possible. A writer of a later
    /// share of the victim must not be limited.
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

    /// What a share has to be worth: see ``SegmentPlan/nextShare(for:leastShare:lead:mostShare:)``.
    fileprivate struct Terms {
        let rate: Double?
        let leastShare: Int64
        /// What is lost until the answer comes.
        let delay: Duration

        func lead(of readyAt: Duration?, at now: Duration) -> Int64 {
            ConnectionPace.bytes(in: delay - max((readyAt ?? now) - now, .zero), at: rate)
        }
    }

    fileprivate func terms(at now: Duration, isOpen: Bool, minimum: Int64) -> Terms {
        let rates = rates(at: now)
        let mean = rates.isEmpty ? nil : rates.values.reduce(0, +) / Double(rates.count)
        let roundTrip = responseLatency.roundTrip ?? .zero
        return Terms(
            rate: mean,
            leastShare: ConnectionPace.leastShare(rate: mean, roundTrip: roundTrip, minimum: minimum),
            delay: ConnectionPace.delay(rate: mean, roundTrip: roundTrip, isOpen: isOpen)
        )
    }
}
