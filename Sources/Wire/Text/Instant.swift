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

    /// Days since 1970-01-01 of a date in the proleptic Gregorian calendar, counted in eras of 400 years that begin on
    /// 1 March, so that a leap day ends its year (H. Hinnant, "chrono-compatible low-level date algorithms").
    static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of a day counted from 1970-01-01; the same algorithm the other way round.
    static func date(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }
}

extension JSONWriter {
    /// An instant in quotes. One outside the years 0 to 9999, which RFC 3339 cannot write, becomes the nearest inside.
    mutating func instant(_ time: Timestamp) {
        let milliseconds = min(max(time, Instant.range.lowerBound), Instant.range.upperBound).milliseconds
        let (days, rest) = milliseconds.flooredDivision(by: 86_400_000)
        let (year, month, day) = Instant.date(days: days)
        raw("\"")
        field(year, width: 4, "-")
        field(month, width: 2, "-")
        field(day, width: 2, "T")
        field(rest / 3_600_000, width: 2, ":")
        field(rest / 60_000 % 60, width: 2, ":")
        field(rest / 1000 % 60, width: 2, ".")
        field(rest % 1000, width: 3, "Z\"")
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
