/// Sizes in bytes as text: a number, or a whole number with a binary (IEC 80000-13) or a decimal unit.
public enum ByteSize {
    public static let expectation = "a size: bytes, or a whole number with KiB, MiB, GiB, TiB, kB, MB, GB or TB"

    private static let units: [(name: String, shift: Int64)] = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)]
    private static let decimalUnits: [String: Int64] = [
        "kB": 1000, "KB": 1000, "MB": 1_000_000, "GB": 1_000_000_000, "TB": 1_000_000_000_000,
    ]

    /// Parses `text`; nil if it is invalid or too large.
    public static func parse(_ text: String) -> Int64? {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits) else { return nil }
        let unit = text[digits.endIndex...]
        if unit.isEmpty || unit == "B" { return number }
        let binary = units.first { $0.name == unit }.map { Int64(1) << $0.shift }
        guard let factor = binary ?? decimalUnits[String(unit)] else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
        return overflow ? nil : bytes
    }

    /// The shortest exact text. ``parse(_:)`` returns the same size for it.
    static func text(_ bytes: Int64) -> String {
        guard bytes > 0, let unit = units.first(where: { bytes % (1 << $0.shift) == 0 }) else { return String(bytes) }
        return "\(bytes >> unit.shift)\(unit.name)"
    }

    /// A rounded text for people, with at most four significant digits: `12.3 MiB`.
    public static func rounded(_ bytes: Int64) -> String {
        guard let unit = units.last(where: { bytes < 1000 << $0.shift }) ?? units.first, bytes >= 1000 else {
            return "\(bytes) B"
        }
        let tenths = (Double(bytes) * 10 / Double(Int64(1) << unit.shift)).rounded()
        return tenths >= 1000 ? "\(Int64(tenths / 10)) \(unit.name)" : "\(tenths / 10) \(unit.name)"
    }
}
