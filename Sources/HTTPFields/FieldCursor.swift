/// A reading position in the bytes of a header field's value.
///
/// No method traps. A `consume` method consumes either its whole element or nothing. A `parse` method that returns nil
/// may have consumed a part of its element.
public struct FieldCursor {
    private let bytes: [UInt8]
    private var position = 0
    /// The number of quotes found without a closing one: 0 or 1.
    ///
    /// The scan from the first such quote to the end found only escaped quotes, so a later quote cannot have a closing
    /// one either. Only one scan to the end of the value is therefore made.
    private(set) var unclosedQuotes = 0

    public init(_ fieldValue: String) {
        bytes = Array(fieldValue.utf8)
    }

    var isAtEnd: Bool { position >= bytes.count }

    var next: UInt8? { isAtEnd ? nil : bytes[position] }

    mutating func consumeByte() -> UInt8? {
        guard let byte = next else { return nil }
        position += 1
        return byte
    }

    /// Consumes `text` if it comes next. With `ignoringCase`, letters match in either case.
    public mutating func consume(_ text: StaticString, ignoringCase: Bool = false) -> Bool {
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

    /// Consumes the longest run of bytes that satisfy `condition`. The run may be empty.
    public mutating func consume(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, condition(byte) { position += 1 }
        return bytes[start..<position]
    }

    /// Skips to the next `end` outside of a quoted string (RFC 9110, 5.6.4). A quote without a closing quote does not
    /// begin a quoted string.
    @discardableResult
    mutating func skip(to end: UInt8) -> ArraySlice<UInt8> {
        let start = position
        while let byte = next, byte != end {
            position += 1
            if byte == UInt8(ascii: "\"") { skipQuoted() }
        }
        return bytes[start..<position]
    }

    /// Skips past the closing quote. Does nothing if there is none.
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

    /// Consumes optional white space: spaces and tabs (RFC 9110, 5.6.3).
    mutating func skipWhitespace() {
        _ = consume { $0 == .space || $0 == .tab }
    }

    /// Consumes `1*DIGIT`. Returns nil if no digit comes next or the number exceeds `Int64.max`.
    mutating func parseNumber() -> Int64? {
        guard let digits = parseDigits() else { return nil }
        return digits.isSaturated ? nil : digits.value
    }

    /// Consumes `1*DIGIT`. A number above `Int64.max` becomes `Int64.max`, with `isSaturated`.
    mutating func parseDigits() -> (value: Int64, isSaturated: Bool)? {
        let digits = consume(while: \.isASCIIDigit)
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

    /// Consumes `count` digits. Returns nil if there are fewer.
    mutating func parseNumber(digits count: Int) -> Int64? {
        var value: Int64 = 0
        for _ in 0..<count {
            guard let byte = next, byte.isASCIIDigit else { return nil }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
            position += 1
        }
        return value
    }
}
