/// A reading position in the bytes of a header field's value.
///
/// Every method either takes what it names and moves on, or takes nothing; none traps.
struct FieldCursor {
    private let bytes: [UInt8]
    private var position = 0
    /// How many quotes were found that no other one closes. After the first of them no quote is: each later one is
    /// escaped behind it, and would end nowhere else. So at most one of them is looked for to the end of the value.
    private(set) var unclosedQuotes = 0

    init(_ fieldValue: String) {
        bytes = Array(fieldValue.utf8)
    }

    var isAtEnd: Bool { position >= bytes.count }

    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func takeByte() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    /// Takes `text` if it stands here; letters match in either case only when `ignoringCase`.
    mutating func take(_ text: StaticString, ignoringCase: Bool = false) -> Bool {
        let wanted = Array(text.description.utf8)
        guard bytes.count - position >= wanted.count else { return false }
        for (offset, byte) in wanted.enumerated() {
            let found = bytes[position + offset]
            let matches = ignoringCase ? found.lowercasedASCII == byte.lowercasedASCII : found == byte
            guard matches else { return false }
        }
        position += wanted.count
        return true
    }

    /// Takes the longest run of bytes that satisfy `condition`; it may be empty.
    mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, condition(byte) { position += 1 }
        return bytes[start..<position]
    }

    /// Skips everything before the next `end` outside of a quoted string (RFC 9110, 5.6.4). A quote without another
    /// after it begins none.
    @discardableResult
    mutating func skip(to end: UInt8) -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, byte != end {
            position += 1
            if byte == UInt8(ascii: "\"") { skipQuoted() }
        }
        return bytes[start..<position]
    }

    /// Skips what follows an opening quote, up to the one that closes it; nothing where none does.
    private mutating func skipQuoted() {
        guard unclosedQuotes == 0 else { return }
        var index = position
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                position = index + 1
                return
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        unclosedQuotes += 1
    }

    /// Takes optional white space: spaces and tabs (RFC 9110, 5.6.3).
    mutating func skipWhitespace() {
        _ = take { $0 == .space || $0 == .tab }
    }

    /// Takes `1*DIGIT`, or nil when no digit stands here or the number exceeds `Int64`.
    mutating func takeNumber() -> Int64? {
        guard let digits = takeDigits() else { return nil }
        return digits.isSaturated ? nil : digits.value
    }

    /// Takes `1*DIGIT` as a number that stops at `Int64.max` instead of overflowing.
    mutating func takeDigits() -> (value: Int64, isSaturated: Bool)? {
        let digits = take(while: \.isASCIIDigit)
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for digit in digits {
            let (product, overflowsProduct) = value.multipliedReportingOverflow(by: 10)
            let (sum, overflowsSum) = product.addingReportingOverflow(Int64(digit - UInt8(ascii: "0")))
            if overflowsProduct || overflowsSum { return (.max, true) }
            value = sum
        }
        return (value, false)
    }

    /// Takes exactly `count` digits.
    mutating func takeNumber(digits count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let byte = next, byte.isASCIIDigit else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            position += 1
        }
        return value
    }
}
