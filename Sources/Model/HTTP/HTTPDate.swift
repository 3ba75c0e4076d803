/// An instant as HTTP writes it, with a resolution of one second (RFC 9110, 5.6.7).
public struct HTTPDate: Hashable, Comparable, Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    public let secondsSinceEpoch: Int64

    public init(secondsSinceEpoch: Int64) {
        self.secondsSinceEpoch = secondsSinceEpoch
    }

    public static func < (lhs: HTTPDate, rhs: HTTPDate) -> Bool {
        lhs.secondsSinceEpoch < rhs.secondsSinceEpoch
    }

    /// The seconds from `other` to this instant, negative when it comes before; it stops at the ends of `Int64`.
    public func seconds(since other: HTTPDate) -> Int64 {
        let (difference, overflows) = secondsSinceEpoch.subtractingReportingOverflow(other.secondsSinceEpoch)
        guard overflows else { return difference }
        return self > other ? .max : .min
    }

    /// The instant as IMF-fixdate, the only form that a sender may generate: `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Instants outside the years 0000 to 9999, which the form cannot write, show as the nearest one inside.
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
