import Core
import TransferRules

/// The connections of a download, as their coordinator counts them: how many there are, how many there should be, and
/// what ended those that broke.
struct ConnectionCounts {
    /// Connections at work.
    private(set) var active = 0
    private(set) var isWhole = false
    /// All bytes are stored, but the server has not confirmed the end.
    private(set) var isUnended = false
    /// What ends the attempt whatever the connections do.
    private(set) var interruption: AttemptInterruption?
    /// How the last connection to break did, where none came after it.
    private(set) var failure: AttemptInterruption?
    private var ramp: ConnectionRamp
    /// Connections that broke in a row with next to nothing between them.
    private var breaks = 0
    /// Connections that broke before their first byte, since the wanted number last transferred.
    private var failedStarts = 0
    /// The connections that transferred bytes at the last reading.
    private var proven = 0
    private let time: TimeSource
    /// None is opened before: what broke is left alone for a while.
    private var pausedUntil: Duration
    /// Nor before this, whatever broke meanwhile.
    private var notBefore: Duration
    private var lastBreakAt: Duration?
    /// When the last broken connection with bytes was replaced, or will be.
    private var replacedAt: Duration?
    /// When the number that there should be changed last.
    private var changedAt: Duration

    /// How often the number of connections is reviewed, for how long after a change; then every ``slowTick``.
    private static let ticks: [(interval: Duration, upTo: Duration)] = [
        (.milliseconds(1), .milliseconds(50)), (.milliseconds(4), .milliseconds(500)),
    ]
    private static let slowTick = Duration.milliseconds(100)
    /// The pause after connections that broke in a row; doubles up to 32 times that.
    private static let firstPause = Duration.milliseconds(250)
    /// The bytes of one request that are worth another at once, but not one after another faster than in
    /// ``spacing``: an origin that cuts each answer short would be asked without end.
    static let leastProgress: Int64 = 256 << 10
    private static let spacing = Duration.milliseconds(100)
    /// How long a break is remembered.
    private static let memory = Duration.seconds(60)

    init(rules: RampRules = RampRules(), time: TimeSource) {
        ramp = ConnectionRamp(rules: rules)
        self.time = time
        pausedUntil = time.elapsed
        notBefore = pausedUntil
        changedAt = pausedUntil
    }

    var isStopping: Bool { interruption != nil }

    var tickInterval: Duration {
        let age = time.elapsed - changedAt
        return Self.ticks.first { age < $0.upTo }?.interval ?? Self.slowTick
    }

    /// How many connections there should be.
    var desired: Int { ramp.desired }

    /// How many connections to open now.
    var missing: Int { isPausing || time.elapsed < notBefore ? 0 : max(ramp.desired - active, 0) }

    /// The same after a new reading.
    mutating func missing(_ reading: RampSample) -> Int {
        let before = ramp.desired
        proven = reading.connections
        if proven >= before { failedStarts = 0 }
        if ramp.update(reading) != before { changedAt = time.elapsed }
        return missing
    }

    /// Counts in a connection that begins.
    mutating func recordOpened() { active += 1 }

    mutating func stop(_ interruption: AttemptInterruption) {
        self.interruption = self.interruption ?? interruption
    }

    /// Records that the host admits no further connection now.
    mutating func recordHostWait() { notBefore = max(notBefore, time.elapsed + Self.firstPause) }

    /// Discards the measurement: a rate limit determines the rate now.
    mutating func forgetMeasurement() { ramp.forgetMeasurement() }

    /// Counts out a connection that has ended.
    ///
    /// - Parameter isAlone: Whether no other source is left. With others, a refusal of one source is not the end.
    mutating func record(_ end: SegmentConnection.End, isAlone: Bool = true) {
        active -= 1
        switch end {
        case .idle: break
        case .whole: isWhole = true
        case .refused:
            // The next response, without other connections beside it, shows whether the file itself has changed.
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

    /// A broken connection that had bytes is replaced at once. If connections break again and again with almost no
    /// bytes, the delay grows, whatever the others transfer.
    private mutating func record(breakAfter bytes: Int64, isAlone: Bool) {
        let now = time.elapsed
        if let lastBreakAt, now - lastBreakAt > Self.memory { breaks = 0 }
        lastBreakAt = now
        guard bytes < Self.leastProgress else {
            breaks = 0
            if let replacedAt { notBefore = max(notBefore, replacedAt + Self.spacing) }
            replacedAt = max(notBefore, now)
            return
        }
        // Connections that were starting when the pause began do not count again.
        guard !isPausing else { return }
        if bytes > 0 {
            if breaks > 0 { pause(doubled: breaks - 1) }
            breaks += 1
        } else if isAlone {
            pause(doubled: failedStarts)
            failedStarts += 1
            // Once may be chance. A second failure means that the origin accepts no more connections.
            if failedStarts > 1 { ramp.recordRefusal(working: min(active, proven)) }
        }
    }

    private var isPausing: Bool { time.elapsed < pausedUntil }

    private mutating func pause(doubled count: Int) {
        pausedUntil = max(pausedUntil, time.elapsed + Self.firstPause * (1 << min(count, 5)))
    }
}

/// How soon the head of an answer came after its request, at the least.
struct ResponseLatency {
    /// Over a connection that was open.
    private var open: Duration?
    /// With the making of the connection, which takes a round trip at least.
    private var fresh: Duration?

    /// Nothing was seen yet.
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
