/// Sizes as people write them: bytes, or a number with a binary unit (IEC 80000-13).
enum ByteSize {
    static let expectation = "a size: bytes, or a whole number with KiB, MiB, GiB or TiB"

    private static let units: [(name: String, shift: Int64)] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]

    /// The bytes that `text` spells, or nil where it spells none or too many.
    static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let unit = text[digits.endIndex...]
        if unit.isEmpty || unit == "B" { return number }
        guard let shift = units.first(where: { $0.name == unit })?.shift else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        return overflow ? nil : bytes
    }

    /// The shortest exact text, which ``parse(_:)`` reads back.
    static func text(_ bytes: Int64) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes % (1 << $0.shift) == 0 }) else { return String(bytes) }
        return "\(bytes >> unit.shift)\(unit.name)"
    }

    /// A rounded text for people, of four significant digits at most: `12.3 MiB`.
    static func rounded(_ bytes: Int64) -> String {
        guard let unit = units.last(where: { bytes < 1000 << $0.shift }) ?? units.first, bytes >= 1000 else {
            return "\(bytes) B"
        }
        let tenths = (Double(bytes) * 10 / Double(Int64(1) << unit.shift)).rounded()
        return tenths >= 1000 ? "\(Int64(tenths / 10)) \(unit.name)" : "\(tenths / 10) \(unit.name)"
    }
}
