import Model

/// The connections of a download, as their coordinator counts them: how many there are, how many there should be, and
/// what ended those that broke.
struct Crew {
    /// Connections at work.
    private(set) var active = 0
    private(set) var isWhole = false
    /// All bytes are there, and the server has not said that they are.
    private(set) var isUnended = false
    /// What ends the attempt whatever the connections do.
    private(set) var interruption: AttemptInterruption?
    /// How the last connection to break did, where none came after it.
    private(set) var failure: AttemptInterruption?
    private var ramp: ConnectionRamp
    private var brokenInARow = 0
    private let time: TimeSource
    private var mayOpenAt: Duration
    /// When the number that there should be changed last.
    private var changedAt: Duration

    /// How often the number of connections is looked at, while it may soon change and afterwards.
    private static let (quickTick, slowTick) = (Duration.milliseconds(4), Duration.milliseconds(100))
    private static let quickTime = Duration.milliseconds(500)
    /// The pause after a connection broke; doubles up to 32 times that.
    private static let firstPause = Duration.milliseconds(250)

    init(rules: RampRules = RampRules(), time: TimeSource) {
        ramp = ConnectionRamp(rules: rules)
        self.time = time
        mayOpenAt = time.elapsed
        changedAt = mayOpenAt
    }

    var isStopping: Bool { interruption != nil }

    var tickInterval: Duration {
        time.elapsed - changedAt < Self.quickTime ? Self.quickTick : Self.slowTick
    }

    /// How many connections are to be opened now.
    mutating func missing(_ reading: RampReading) -> Int {
        let before = ramp.desired
        let desired = ramp.update(reading)
        if desired != before { changedAt = time.elapsed }
        return time.elapsed >= mayOpenAt ? max(desired - active, 0) : 0
    }

    /// Counts in a connection that begins.
    mutating func noteOpened() { active += 1 }

    mutating func stop(_ interruption: AttemptInterruption) {
        self.interruption = self.interruption ?? interruption
    }

    /// Notes that the host bears no further connection now.
    mutating func noteHeld() { mayOpenAt = max(mayOpenAt, time.elapsed + Self.firstPause) }

    /// Counts out a connection that has ended.
    ///
    /// - Parameter isAlone: Whether no other source is left. What one of several refuses or does not bring, others may.
    mutating func note(_ end: SegmentConnection.End, isAlone: Bool = true) {
        active -= 1
        switch end {
        case .idle: brokenInARow = 0
        case .whole: isWhole = true
        case .refused:
            // Whether the file itself has changed is for the next answer to say that nothing else is at work beside.
            failure = nil
            if isAlone { ramp.noteRefusal(working: active) }
        case .broke(let cause, let atStart):
            failure = .failed(cause)
            changedAt = time.elapsed
            guard isAlone else { break }
            if atStart { ramp.noteRefusal(working: active) }
            mayOpenAt = time.elapsed + Self.firstPause * (1 << min(brokenInARow, 5))
            brokenInARow += 1
        case .held: noteHeld()
        case .failed(let cause): stop(.failed(cause))
        case .stopped: stop(.stopped)
        case .unended(let interruption):
            isUnended = true
            stop(interruption)
        }
    }
}
