/// Sizes in bytes as text: a number, or a whole number with a binary (IEC 80000-13) or a decimal unit.
public enum ByteSize {
    public static let expectation = "a size: bytes, or a whole number with KiB, MiB, GiB, TiB, kB, MB, GB or TB"

    private static let units: [(name: String, shift: Int64)] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]
    private static let decimalUnits: [String: Int64] = [
        "kB": 1000, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    ]

    /// Parses `text`; nil if it is invalid or too large.
    public static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let unit = text[digits.endIndex...]
        if unit.isEmpty || unit == "B" { return number }
        let binary = units.first { $0.name == unit }.map { Int64(1) << $0.shift }
        guard let factor = binary ?? decimalUnits[String(unit)] else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : bytes
    }

    /// The shortest exact text. ``parse(_:)`` returns the same size for it.
    static func text(_ bytes: Int64) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes % (1 << $0.shift) == 0 }) else { return String(bytes) }
        return "\(bytes >> unit.shift)\(unit.name)"
    }

    /// A rounded text for people, with at most four significant digits: `12.3 MiB`.
    public static func rounded(_ bytes: Int64) -> String {
        guard let unit = units.last(where: { bytes < 1000 << $0.shift }) ?? units.first, bytes >= 1000 else {
            return "\(bytes) B"
        }
        let tenths = (Double(bytes) * 10 / Double(Int64(1) << unit.shift)).rounded()
        return tenths >= 1000 ? "\(Int64(tenths / 10)) \(unit.name)" : "\(tenths / 10) \(unit.name)"
    }
}

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
