/// A time of day in minutes, from 00:00 to 24:00 (the end of the day).
public struct TimeOfDay: Hashable, Sendable, CustomStringConvertible {
    /// Minutes since midnight, 0 to 1440.
    public let minutes: Int

    /// Returns nil outside 0 to 1440.
    public init?(minutes: Int) {
        guard (0...MinuteOfWeek.minutesPerDay).contains(minutes) else { return nil }
        self.minutes = minutes
    }

    /// Parses `HH:MM` with two digits each. Returns nil for anything else.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ (0...9).contains($0) }), digits[2] < 6 else { return nil }
        self.init(minutes: (digits[0] * 10 + digits[1]) * 60 + digits[2] * 10 + digits[3])
    }

    public var description: String {
        let (hour, minute) = minutes.quotientAndRemainder(dividingBy: 60)
        return (hour < 10 ? "0" : "") + "\(hour):" + (minute < 10 ? "0" : "") + "\(minute)"
    }
}
