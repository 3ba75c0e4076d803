public import FoundationEssentials
import HTTPFields

/// Instants of the API: RFC 3339 in UTC with milliseconds, `2026-01-02T03:04:05.678Z`.
public enum InstantText {
    /// Parses a text with the offset `Z`; nil if it is invalid.
    public static func date(_ text: String) -> Date? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") || bytes.last == UInt8(ascii: "z") else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            }
            return value
        }
        let marks = [bytes[4], bytes[7], bytes[10] | 0x20, bytes[13], bytes[16]]
        guard marks == Array("--t::".utf8), let year = number(0..<4), let month = number(5..<7),
            let day = number(8..<10), let hour = number(11..<13), let minute = number(14..<16),
            let second = number(17..<19)
        else { return nil }
        let date = CivilDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        guard date.isValid else { return nil }
        var fraction = 0.0
        let digits = bytes[19..<(bytes.count - 1)]
        if !digits.isEmpty {
            guard digits.first == UInt8(ascii: "."), digits.count > 1, digits.count <= 10,
                let value = number((digits.startIndex + 1)..<digits.endIndex)
            else { return nil }
            fraction = Double(value)
            for _ in 1..<digits.count { fraction /= 10 }
        }
        return Date(timeIntervalSince1970: Double(date.secondsSinceEpoch) + fraction)
    }

    /// The text of an instant, rounded to milliseconds.
    public static func text(_ date: Date) -> String {
        let milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
        let seconds = milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
        let civil = CivilDate(secondsSinceEpoch: seconds)
        func field(_ value: Int64, _ width: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(field(civil.year, 4))-\(field(civil.month, 2))-\(field(civil.day, 2))T\(field(civil.hour, 2)):"
            + "\(field(civil.minute, 2)):\(field(civil.second, 2)).\(field(milliseconds - seconds * 1000, 3))Z"
    }
}
