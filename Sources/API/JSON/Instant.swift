public import Core
import HTTPFields

/// Instants in the format of the API: RFC 3339, UTC, milliseconds, `2026-01-02T03:04:05.678Z`.
public enum Instant {
    /// The first and the last instant with a year of four digits.
    static let range = Timestamp(milliseconds: -62_167_219_200_000)...Timestamp(milliseconds: 253_402_300_799_999)

    public static func text(_ time: Timestamp) -> String {
        var writer = JSONWriter()
        writer.instant(time)
        return String(decoding: writer.bytes.dropFirst().dropLast(), as: UTF8.self)
    }
}

extension JSONWriter {
    /// Writes an instant in quotes. An instant outside the years 0 to 9999, the range of RFC 3339, is clamped.
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

extension Instant {
    /// Parses a date and time (RFC 3339, section 5.6) with any offset. Digits finer than a millisecond are truncated.
    ///
    /// A leap second is accepted only at the end of a UTC day, and is read as the next second.
    public static func parse(_ text: String) -> Timestamp? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(4), scanner.consume("-"), let month = scanner.number(2), scanner.consume("-"),
            let day = scanner.number(2), scanner.consume("Tt"),
            let hour = scanner.number(2), scanner.consume(":"), let minute = scanner.number(2), scanner.consume(":"),
            let second = scanner.number(2), let fraction = scanner.fraction(), let offset = scanner.offset(),
            scanner.isAtEnd
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard date.isValid else { return nil }
        let seconds = date.secondsSinceEpoch - offset
        guard second < 60 || seconds % 86_400 == 0 else { return nil }
        let time = Timestamp(milliseconds: seconds * 1000 + fraction)
        return range.contains(time) ? time : nil
    }
}

/// Reads fixed fields of digits.
private struct DigitScanner {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = Substring(text).utf8
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func consume(_ any: String) -> Bool {
        guard let first = rest.first, any.utf8.contains(first) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func digit() -> Int64? {
        guard let first = rest.first, first >= UInt8(ascii: "0"), first <= UInt8(ascii: "9") else { return nil }
        rest.removeFirst()
        return Int64(first - UInt8(ascii: "0"))
    }

    mutating func number(_ width: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<width {
            guard let digit = digit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Milliseconds; 0 without a fraction, nil if the fraction has no digit.
    mutating func fraction() -> Int64? {
        guard consume(".") else { return 0 }
        guard let first = digit() else { return nil }
        var value = first * 100
        var weight: Int64 = 10
        while let next = digit() {
            value += next * weight
            weight /= 10
        }
        return value
    }

    /// The offset from UTC in seconds, positive to the east.
    mutating func offset() -> Int64? {
        if consume("Zz") { return 0 }
        let sign: Int64
        if consume("+") { sign = 1 } else if consume("-") { sign = -1 } else { return nil }
        guard let hours = number(2), consume(":"), let minutes = number(2), hours <= 23, minutes <= 59 else {
            return nil
        }
        return sign * (hours * 3600 + minutes * 60)
    }
}
