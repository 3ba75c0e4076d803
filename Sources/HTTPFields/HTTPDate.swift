/// An instant in an HTTP date, with a resolution of one second (RFC 9110, 5.6.7).
public struct HTTPDate: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public let secondsSinceEpoch: Int64

    public init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = secondsSinceEpoch
    }

    public static func < (lhs: HTTPDate, rhs: HTTPDate) -> Bool {
        lhs.secondsSinceEpoch < rhs.secondsSinceEpoch
    }

    /// The seconds from `other` to this instant: negative if this instant is earlier, and limited to the range of
    /// `Int64`.
    public func seconds(since other: HTTPDate) -> Int64 {
        let (difference, overflows) = secondsSinceEpoch.subtractingReportingOverflow(other.secondsSinceEpoch)
        guard overflows else { return difference }
        return self > other ? .max : .min
    }

    /// The instant as IMF-fixdate, the only form that a sender may generate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// The form has the years 0000 to 9999. An instant outside them becomes the nearest one inside.
    public var fieldValue: String {
        let date = CivilDate(secondsSinceEpoch: min(max(secondsSinceEpoch, Self.earliest), Self.latest))
        let day = Self.padded(date.day, to: 2)
        let time = [date.hour, date.minute, date.second].map { Self.padded($0, to: 2) }.joined(separator: ":")
        let month = Self.monthNames[Int(date.month) - 1]
        return "\(Self.dayNames[date.weekday]), \(day) \(month) \(Self.padded(date.year, to: 4)) \(time) GMT"
    }

    /// 0000-01-01T00:00:00Z.
    private static let earliest: Int64 = -62_167_219_200
    /// 9999-12-31T23:59:59Z.
    private static let latest: Int64 = 253_402_300_799

    static let dayNames = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
    static let longDayNames = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    static let monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension HTTPDate {
    /// Parses any of the three forms that a recipient must accept: IMF-fixdate, RFC 850, and asctime.
    ///
    /// The day of the week must be a valid name but need not match the date.
    ///
    /// - Parameter now: Decides the century of the RFC 850 form, whose year has two digits: a date that would be more
    ///   than 50 years in the future is in the past.
    /// - Returns: nil for any other text, for a zone other than GMT and for a date that does not exist.
    public init?(_ fieldValue: String, now: HTTPDate) {
        for form in [Form.fixdate, .rfc850, .asctime] {
            var cursor = FieldCursor(fieldValue)
            cursor.skipWhitespace()
            guard let date = Self.read(form, &cursor, now: now) else { continue }
            cursor.skipWhitespace()
            guard cursor.isAtEnd, date.isValid else { return nil }
            self.init(secondsSinceEpoch: date.secondsSinceEpoch)
            return
        }
        return nil
    }

    private enum Form {
        case fixdate
        case rfc850
        case asctime
    }

    private static func read(_ form: Form, _ cursor: inout FieldCursor, now: HTTPDate) -> CivilDate? {
        switch form {
        case .fixdate: fixdate(&cursor)
        case .rfc850: rfc850(&cursor, now: now)
        case .asctime: asctime(&cursor)
        }
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    private static func fixdate(_ cursor: inout FieldCursor) -> CivilDate? {
        guard cursor.parseName(of: dayNames) != nil, cursor.consume(", ") else { return nil }
        guard let day = cursor.parseNumber(digits: 2), cursor.consume(" ") else { return nil }
        guard let month = cursor.parseName(of: monthNames), cursor.consume(" ") else { return nil }
        guard let year = cursor.parseNumber(digits: 4), cursor.consume(" ") else { return nil }
        guard let time = cursor.parseTime(), cursor.consume(" GMT") else { return nil }
        return CivilDate(year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    }

    /// `Sunday, 06-Nov-94 08:49:37 GMT`
    private static func rfc850(_ cursor: inout FieldCursor, now: HTTPDate) -> CivilDate? {
        guard cursor.parseName(of: longDayNames) != nil, cursor.consume(", ") else { return nil }
        guard let day = cursor.parseNumber(digits: 2), cursor.consume("-") else { return nil }
        guard let month = cursor.parseName(of: monthNames), cursor.consume("-") else { return nil }
        guard let shortYear = cursor.parseNumber(digits: 2), cursor.consume(" ") else { return nil }
        guard let time = cursor.parseTime(), cursor.consume(" GMT") else { return nil }
        // The century is decided before the date is validated: 29-Feb-00 exists in 2000, not in 1900.
        let today = CivilDate(secondsSinceEpoch: min(max(now.secondsSinceEpoch, 0), 250_000_000_000))
        var date = CivilDate(
            year: today.year - today.year % 100 + shortYear + 100,
            month: month,
            day: day,
            hour: time.hour,
            minute: time.minute,
            second: time.second
        )
        var limit = today
        limit.year += 50
        while date.comesAfter(limit) { date.year -= 100 }
        return date
    }

    /// `Sun Nov  6 08:49:37 1994`
    private static func asctime(_ cursor: inout FieldCursor) -> CivilDate? {
        guard cursor.parseName(of: dayNames) != nil, cursor.consume(" ") else { return nil }
        guard let month = cursor.parseName(of: monthNames), cursor.consume(" ") else { return nil }
        let isPadded = cursor.consume(" ")
        guard let day = cursor.parseNumber(digits: isPadded ? 1 : 2), cursor.consume(" ") else { return nil }
        guard let time = cursor.parseTime(), cursor.consume(" ") else { return nil }
        guard let year = cursor.parseNumber(digits: 4) else { return nil }
        return CivilDate(year: year, month: month, day: day, hour: time.hour, minute: time.minute, second: time.second)
    }
}

extension CivilDate {
    /// Compares field by field, which works for invalid dates too.
    fileprivate func comesAfter(_ other: CivilDate) -> Bool {
        [other.year, other.month, other.day, other.hour, other.minute, other.second]
            .lexicographicallyPrecedes([year, month, day, hour, minute, second])
    }
}

extension FieldCursor {
    /// Consumes one of the names. Returns its number, counted from 1.
    fileprivate mutating func parseName(of names: [String]) -> Int64? {
        var attempt = self
        let letters = Array(attempt.consume(while: \.isASCIILetter))
        guard let index = names.firstIndex(where: { Array($0.utf8) == letters }) else { return nil }
        self = attempt
        return Int64(index) + 1
    }

    /// Consumes `08:49:37`.
    fileprivate mutating func parseTime() -> (hour: Int64, minute: Int64, second: Int64)? {
        guard let hour = parseNumber(digits: 2), consume(":") else { return nil }
        guard let minute = parseNumber(digits: 2), consume(":") else { return nil }
        guard let second = parseNumber(digits: 2) else { return nil }
        return (hour, minute, second)
    }
}
