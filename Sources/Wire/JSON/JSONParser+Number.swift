extension JSONParser {
    /// More digits than a `Double` of any size needs.
    static let maximumNumberLength = 400

    /// Reads a number and returns its spelling.
    mutating func number() throws(JSONFault) -> String {
        let start = offset
        _ = take(UInt8(ascii: "-"))
        if offset == start, !(peek.map(isDigit) ?? false) { throw unexpected }
        // A leading zero stands alone.
        if !take(UInt8(ascii: "0")) { try digits(from: start) }
        if take(UInt8(ascii: ".")) { try digits(from: start) }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            try digits(from: start)
        }
        if let next = peek, isDigit(next) { throw JSONFault(.badNumber, at: start) }
        guard offset - start <= Self.maximumNumberLength else { throw JSONFault(.numberTooLarge, at: start) }
        let text = String(decoding: bytes[start..<offset], as: UTF8.self)
        guard let value = Double(text), value.isFinite else { throw JSONFault(.numberTooLarge, at: start) }
        return text
    }

    private mutating func digits(from start: Int) throws(JSONFault) {
        guard let first = peek, isDigit(first) else {
            throw JSONFault(peek == nil ? .unexpectedEnd : .badNumber, at: start)
        }
        while let byte = peek, isDigit(byte) { offset += 1 }
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }
