import Core
import TransferRules

/// Counts the connections of a download for their coordinator: the current number, the desired number, and why
/// connections ended.
///
/// A class saves memory: the frames of a coordinator's functions would store several copies of a struct.
final class ConnectionCounts {
    /// The number of open connections.
    private(set) var active = 0
    private(set) var isWhole = false
    /// All bytes are stored, but the server has not confirmed the end of the file.
    private(set) var isUnended = false
    /// The reason to end the attempt, whatever the connections do.
    private(set) var interruption: AttemptInterruption?
    /// The failure of the last broken connection; nil if a refused request followed.
    private(set) var failure: AttemptInterruption?
    private var ramp: ConnectionRamp
    /// The number of consecutive breaks after almost no bytes.
    private var breaks = 0
    /// The number of connections that broke before their first byte, since the desired number of connections last
    /// transferred bytes.
    private var failedStarts = 0
    /// The number of connections that transferred bytes in the last sample.
    private var withBytes = 0
    /// That of the last sample.
    private var roundTrip: Duration?
    private let time: TimeSource
    /// No connection is opened before this time, after repeated breaks.
    private var pausedUntil: Duration
    /// No connection is opened before this time either, to keep a minimum interval.
    private var notBefore: Duration
    private var lastBreakAt: Duration?
    /// When all replacements of connections that broke after many bytes are ``spacing`` ago, had none been early.
    private var replacementsEnd: Duration
    /// When the desired number last changed.
    private var changedAt: Duration
    private var progress = TransferProgress()

    /// The pause after consecutive breaks. It doubles up to 32 times this value.
    private static let firstPause = Duration.milliseconds(250)
    /// A request that received this many bytes is repeated without a pause, on average at most once per ``spacing``.
    /// Otherwise an origin that truncates every response would get requests without limit.
    static let leastProgress: Int64 = 256 << 10
    private static let spacing = Duration.milliseconds(100)
    /// The number of replacements that may come together: some of many connections break at about the same time.
    private static let burst = 4
    /// How long a break counts towards repeated breaks.
    private static let memory = Duration.seconds(60)

    /// - Parameter cached: The connections that the host accepted for another download; nil if unknown.
    init(rules: RampRules = RampRules(), cached: ProvenConnections? = nil, time: TimeSource) {
        ramp = ConnectionRamp(rules: rules, cached: cached)
        self.time = time
        pausedUntil = time.elapsed
        notBefore = pausedUntil
        replacementsEnd = pausedUntil
        changedAt = pausedUntil
    }

    var isStopping: Bool { interruption != nil }

    /// The time until the connections are reviewed again.
    var reviewInterval: Duration {
        let now = time.elapsed
        let interval = ReviewInterval.next(
            sinceChange: now - changedAt,
            timeLeft: progress.timeLeft,
            awaiting: withBytes < ramp.desired ? roundTrip : nil
        )
        let wait = notBefore - now
        let isReplacing = active < ramp.desired && wait > .zero && wait <= Self.spacing
        return isReplacing ? min(interval, wait) : interval
    }

    /// The number of connections that the host was seen to accept; nil before a measurement.
    var proven: ProvenConnections? { ramp.proven }

    /// The desired number of connections.
    var desired: Int { ramp.desired }

    /// The number of connections to open now.
    var missing: Int { isPausing || time.elapsed < notBefore ? 0 : max(ramp.desired - active, 0) }

    /// The number of connections to open now, after a new sample.
    func missing(_ reading: RampSample) -> Int {
        let before = ramp.desired
        progress.record(reading)
        (withBytes, roundTrip) = (reading.connections, reading.roundTrip)
        if withBytes >= before { failedStarts = 0 }
        if ramp.update(reading) != before { changedAt = time.elapsed }
        return missing
    }

    /// Counts a connection that is being opened.
    func recordOpened() { active += 1 }

    func stop(_ interruption: AttemptInterruption) {
        self.interruption = self.interruption ?? interruption
    }

    /// Records that the host admits no further connection now.
    func recordHostWait() { notBefore = max(notBefore, time.elapsed + Self.firstPause) }

    /// Discards the measurement, because a rate limit determines the rate now.
    func forgetMeasurement() { ramp.forgetMeasurement() }

    /// Counts a connection that has ended.
    ///
    /// - Parameter isAlone: Whether no other source can be used. With other sources, the refusal of one does not lower
    ///   the desired number.
    func record(_ end: SegmentConnection.End, isAlone: Bool = true) {
        active -= 1
        switch end {
        case .idle: break
        case .whole: isWhole = true
        case .refused:
            // The next response, with no other connection open, shows whether the file itself has changed.
            failure = nil
            if isAlone { ramp.recordRefusal(working: active) }
        case .broke(let cause, let bytes):
            failure = .failed(cause)
            record(breakAfter: bytes, isAlone: isAlone)
        case .deferred: recordHostWait()
        case .failed(let cause): stop(.failed(cause))
        case .stopped: stop(.stopped)
        case .unended(let interruption):
            isUnended = true
            stop(interruption)
        }
    }

    /// A connection that broke after many bytes is replaced immediately. If connections break repeatedly after almost
    /// no bytes, the delay grows, whatever other connections transfer.
    private func record(breakAfter bytes: Int64, isAlone: Bool) {
        let now = time.elapsed
        if let lastBreakAt, now - lastBreakAt > Self.memory { breaks = 0 }
        lastBreakAt = now
        guard bytes < Self.leastProgress else {
            breaks = 0
            notBefore = max(notBefore, replacementsEnd - Self.spacing * (Self.burst - 1))
            replacementsEnd = max(replacementsEnd, notBefore, now) + Self.spacing
            return
        }
        // Connections that were opening when the pause began do not count again.
        guard !isPausing else { return }
        if bytes > 0 {
            if breaks > 0 { pause(doubled: breaks - 1) }
            breaks += 1
        } else if isAlone {
            pause(doubled: failedStarts)
            failedStarts += 1
            // One failure may be chance. A second failure means that the origin accepts no more connections.
            if failedStarts > 1 { ramp.recordRefusal(working: min(active, withBytes)) }
        }
    }

    private var isPausing: Bool { time.elapsed < pausedUntil }

    private func pause(doubled count: Int) {
        pausedUntil = max(pausedUntil, time.elapsed + Self.firstPause * (1 << min(count, 5)))
    }
}

/// Estimates how long a download will take, from its rate over about a second.
struct TransferProgress {
    /// The expected time until the end; nil if it is unknown.
    private(set) var timeLeft: Duration?
    private var base: RampSample?

    /// The times over which a rate is measured.
    private static let (shortest, longest) = (Duration.milliseconds(50), Duration.seconds(1))
    /// What counts as without end.
    private static let most = Duration.seconds(86_400)

    mutating func record(_ reading: RampSample) {
        guard let base else {
            base = reading
            return
        }
        let time = reading.at - base.at
        guard time >= Self.shortest else { return }
        let bytes = reading.receivedBytes - base.receivedBytes
        let seconds = Double(reading.remainingBytes) * time.inSeconds / Double(max(bytes, 1))
        timeLeft = seconds < Self.most.inSeconds ? .seconds(max(seconds, 0)) : Self.most
        if time >= Self.longest { self.base = reading }
    }
}

/// The shortest time from a request to the head of its response.
struct ResponseLatency {
    /// Over an existing connection.
    private var open: Duration?
    /// Over a new connection, which takes at least one more round trip.
    private var fresh: Duration?

    /// Creates a value without a measurement.
    init() {}

    init(_ time: Duration, isOpen: Bool) {
        if isOpen { open = time } else { fresh = time }
    }

    var roundTrip: Duration? {
        let half = fresh.map { $0 / 2 }
        return open.map { min($0, half ?? $0) } ?? half
    }

    mutating func record(_ other: Self) {
        open = Self.least(open, other.open)
        fresh = Self.least(fresh, other.fresh)
    }

    private static func least(_ lhs: Duration?, _ rhs: Duration?) -> Duration? {
        guard let lhs, let rhs else { return lhs ?? rhs }
        return min(lhs, rhs)
    }
}
