/// Durations as text: `30s`, `15m`, `24h`, `7d`.
public enum DurationText {
    public static let expectation = "a duration, such as 30s, 15m, 24h or 7d"

    private static let units: [(name: Character, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
    /// A hundred years, so that adding it to the current time cannot overflow.
    private static let longest: Int64 = 36_525 * 86_400

    /// Parses `text`; nil if it is invalid or longer than a hundred years.
    public static func parse(_ text: String) -> Duration? {
        guard let unit = units.first(where: { $0.name == text.last }) else { return text == "0" ? .zero : nil }
        let digits = text.dropLast()
        guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits) else {
            return nil
        }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit.seconds)
        return overflow || seconds > longest ? nil : .seconds(seconds)
    }

    /// The shortest exact text, which ``parse(_:)`` accepts. Fractions of a second are dropped.
    static func text(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        guard seconds > 0, let unit = units.first(where: { seconds.isMultiple(of: $0.seconds) }) else { return "0s" }
        return "\(seconds / unit.seconds)\(unit.name)"
    }

    /// A countdown text: `0:07`, `12:05`, `3:00:00`, `4 d`.
    public static func clock(_ duration: Duration) -> String {
        let seconds = max(duration.components.seconds, 0)
        if seconds >= 100 * 3600 { return "\(seconds / 86_400) d" }
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60)
        let tail = twoDigits(seconds % 60)
        return hours > 0 ? "\(hours):\(twoDigits(minutes)):\(tail)" : "\(minutes):\(tail)"
    }

    private static func twoDigits(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
