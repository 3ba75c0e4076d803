extension IPAddress: CustomStringConvertible {
    /// The canonical text: the longest run of zero groups is `::`, letters are small (RFC 5952), and an address that
    /// stands for an IPv4 one shows it: `::ffff:192.0.2.1`.
    public var description: String {
        switch self {
        case .v4(let value): Self.format(value)
        case .v6(let value) where value >> 32 == 0xFFFF: "::ffff:" + Self.format(UInt32(truncatingIfNeeded: value))
        case .v6(let value): Self.format(value)
        }
    }

    private static func format(_ value: UInt32) -> String {
        [24, 16, 8, 0].map { String(value >> UInt32($0) & 0xFF) }.joined(separator: ".")
    }

    private static func format(_ value: UInt128) -> String {
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: value >> UInt128((7 - $0) * 16)) }
        let run = longestZeroRun(in: groups)
        let text = { (groups: ArraySlice<UInt16>) in groups.map { String($0, radix: 16) }.joined(separator: ":") }
        guard run.count >= 2 else { return text(groups[...]) }
        return text(groups[..<run.lowerBound]) + "::" + text(groups[run.upperBound...])
    }

    /// The first of the longest runs.
    private static func longestZeroRun(in groups: [UInt16]) -> Range<Int> {
        var longest = 0..<0
        var start: Int?
        for (index, group) in groups.enumerated() {
            guard group == 0 else {
                start = nil
                continue
            }
            let run = (start ?? index)..<(index + 1)
            start = run.lowerBound
            if run.count > longest.count { longest = run }
        }
        return longest
    }
}
