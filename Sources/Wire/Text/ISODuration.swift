/// Durations as ISO 8601 writes them, of days and shorter units: `PT24H`, `P7D`, `P1DT2H30M`.
enum ISODuration {
    private static let units: [(letter: UInt8, seconds: Int64, isTime: Bool)] = [
        (UInt8(ascii: "D"), 86_400, false), (UInt8(ascii: "H"), 3600, true), (UInt8(ascii: "M"), 60, true),
        (UInt8(ascii: "S"), 1, true),
    ]

    /// The whole seconds that `text` spells; nil where it is none of these.
    static func seconds(_ text: String) -> Int64? {
        var rest = Array(text.utf8)[...]
        guard rest.popFirst() == UInt8(ascii: "P"), !rest.isEmpty else { return nil }
        var (total, next, isTime) = (Int64(0), 0, false)
        while !rest.isEmpty {
            if rest.first == UInt8(ascii: "T") {
                guard !isTime, rest.count > 1 else { return nil }
                isTime = true
                rest.removeFirst()
            }
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            rest = rest.dropFirst(digits.count)
            // Nine digits of days are few enough for no sum to overflow.
            guard (1...9).contains(digits.count), let count = Int64(String(decoding: digits, as: UTF8.self)),
                let letter = rest.popFirst(),
                let unit = units[next...].firstIndex(where: { $0.letter == letter && $0.isTime == isTime })
            else { return nil }
            total += count * units[unit].seconds
            next = unit + 1
        }
        return total
    }
}
