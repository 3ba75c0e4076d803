/// A date and a time of day in UTC, in the proleptic Gregorian calendar.
///
/// The day arithmetic uses eras of 400 years. Its years begin on 1 March, so that a leap day is the last day of a year
/// (H. Hinnant, "chrono-compatible low-level date algorithms").
public struct CivilDate: Hashable, Sendable {
    public var year: Int64
    /// 1 to 12.
    public var month: Int64
    /// 1 to 31.
    public var day: Int64
    public var hour: Int64
    public var minute: Int64
    /// 0 to 60: a leap second counts as the first second of the next minute.
    public var second: Int64

    public init(year: Int64, month: Int64, day: Int64, hour: Int64 = 0, minute: Int64 = 0, second: Int64 = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// Whether the month has that day, and the hour, minute and second are in range.
    public var isValid: Bool {
        (1...12).contains(month) && (1...Self.days(inMonth: month, of: year)).contains(day)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...60).contains(second)
    }

    /// Seconds since 1970-01-01T00:00:00Z. The date must be valid, the year within 0 to 9999.
    public var secondsSinceEpoch: Int64 {
        daysSinceEpoch * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// The day of the week, 0 for Monday to 6 for Sunday.
    var weekday: Int {
        // 1970-01-01 was a Thursday.
        let shifted = (daysSinceEpoch + 3) % 7
        return Int(shifted < 0 ? shifted + 7 : shifted)
    }

    private var daysSinceEpoch: Int64 {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    static func days(inMonth month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    static func isLeap(_ year: Int64) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }
}

extension CivilDate {
    /// The UTC date of an instant, in seconds since 1970-01-01T00:00:00Z.
    public init(secondsSinceEpoch seconds: Int64) {
        var days = seconds / 86_400
        var rest = seconds % 86_400
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: dayOfYear - (153 * shiftedMonth + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60
        )
    }
}
