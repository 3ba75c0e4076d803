public import Model

extension Instant {
    /// Reads a date and time (RFC 3339, section 5.6), with any offset; what is finer than a millisecond is cut off.
    ///
    /// A leap second is taken only where one can be, at the end of a day of UTC, and counts as the next second.
    public static func parse(_ text: String) -> Timestamp? {
        var scanner = DigitScanner(text)
        guard let year = scanner.number(4), scanner.take("-"), let month = scanner.number(2), scanner.take("-"),
            let day = scanner.number(2), scanner.take("Tt"),
            let hour = scanner.number(2), scanner.take(":"), let minute = scanner.number(2), scanner.take(":"),
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

    mutating func take(_ any: String) -> Bool {
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

    /// Milliseconds; 0 where there is no fraction, nil where it has no digit.
    mutating func fraction() -> Int64? {
        guard take(".") else { return 0 }
        guard let first = digit() else { return nil }
        var value = first * 100
        var weight: Int64 = 10
        while let next = digit() {
            value += next * weight
            weight /= 10
        }
        return value
    }

    /// Seconds east of Greenwich.
    mutating func offset() -> Int64? {
        if take("Zz") { return 0 }
        let sign: Int64
        if take("+") { sign = 1 } else if take("-") { sign = -1 } else { return nil }
        guard let hours = number(2), take(":"), let minutes = number(2), hours <= 23, minutes <= 59 else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
