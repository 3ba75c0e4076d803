public import Model

/// Instants as the API writes them: RFC 3339, UTC, milliseconds, `2026-01-02T03:04:05.678Z`.
public enum Instant {
    /// The first and the last instant that have a year of four digits.
    static let range = Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

    public static func text(_ time: Timestamp) -> String {
        var writer = JSONWriter()
        writer.instant(time)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}

extension JSONWriter {
    /// An instant in quotes. One outside the years 0 to 9999, which RFC 3339 cannot write, becomes the nearest inside.
    mutating func instant(_ time: Timestamp) {
        let milliseconds = min(max(time, Instant.range.lowerBound), Instant.range.upperBound).milliseconds
        let (seconds, rest) = milliseconds.flooredDivision(by: 1000)
        let date = CivilDate(secondsSinceEpoch: seconds)
        raw("\"")
        field(date.year, width: 4, "-")
        field(date.month, width: 2, "-")
        field(date.day, width: 2, "T")
        field(date.hour, width: 2, ":")
        field(date.minute, width: 2, ":")
        field(date.second, width: 2, ".")
        field(rest, width: 3, "Z\"")
    }

    private mutating func field(_ value: Int64, width: Int, _ end: String) {
        decimal(UInt64(value), width: width)
        raw(end)
    }
}

extension Int64 {
    /// The quotient rounded down, and a remainder that is never negative.
    fileprivate func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
