import Model

/// For how long a download has stayed below a floor, period after period.
struct SlowTime: Hashable {
    private let floor: SpeedFloor
    private var slow = Duration.zero

    /// What the pace is the mean of, at most.
    private static let longestPeriod = Duration.seconds(5)

    init(_ floor: SpeedFloor) { self.floor = floor }

    /// How long it may be, at least a second.
    private var limit: Duration { max(floor.time, .seconds(1)) }

    /// How often the bytes are to be looked at.
    var period: Duration { min(limit / 4, Self.longestPeriod) }

    var isOver: Bool { slow >= limit }

    /// Notes what a period brought. One that is fast enough begins the count anew.
    ///
    /// - Parameter bytes: What came; nil for a period that counts neither way, since a limit or the disk held the bytes
    ///   back, or none were asked for.
    mutating func note(_ bytes: Int64?, in period: Duration) {
        guard let bytes else { return }
        let isSlow = Double(bytes) < Double(floor.bytesPerSecond) * period.inSeconds
        slow = isSlow ? slow + period : .zero
    }
}
