/// A pace below which a download is given up for a while: curl's `--speed-limit` and `--speed-time` (curl(1)).
public struct SpeedFloor: Hashable, Sendable {
    public let bytesPerSecond: Int64
    /// How long a download may stay below it.
    public let time: Duration

    public init(bytesPerSecond: Int64, time: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.time = time
    }
}
