import Core
import HTTPFields

/// Appends JSON to bytes, in the order of its calls.
///
/// Written by hand because the resource is large and encoded often: `JSONEncoder` takes several times as long.
/// Only this target writes JSON; others pass the bytes on.
public struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Whether the next member is the first of its object.
    private var isFirst = true

    init(reserving capacity: Int = 0) {
        bytes.reserveCapacity(capacity)
    }

    /// Appends text that is JSON already.
    mutating func raw(_ text: String) { bytes.append(text) }

    mutating func raw(_ text: [UInt8]) { bytes.append(contentsOf: text) }

    /// Writes an object with the members that `body` writes.
    mutating func object(_ body: (inout JSONWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        isFirst = true
        body(&self)
        bytes.append(UInt8(ascii: "}"))
        isFirst = false
    }

    /// Writes an array: `element` writes each of `values`.
    mutating func array<Values: Sequence>(_ values: Values, _ element: (inout JSONWriter, Values.Element) -> Void) {
        bytes.append(UInt8(ascii: "["))
        var isFirstElement = true
        for value in values {
            if !isFirstElement { bytes.append(UInt8(ascii: ",")) }
            isFirstElement = false
            element(&self, value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a member's name and a colon. The names of the API need no escape.
    mutating func name(_ name: String) {
        let name = name.utf8Span.span
        let isFirst = isFirst
        self.isFirst = false
        bytes.append(addingCapacity: name.count + 4) { output in
            if !isFirst { output.append(UInt8(ascii: ",")) }
            output.append(UInt8(ascii: "\""))
            output.append(copying: name)
            output.append(UInt8(ascii: "\""))
            output.append(UInt8(ascii: ":"))
        }
    }

    /// Writes a member's name from outside, escaped, and a colon.
    mutating func foreignName(_ name: String) {
        if !isFirst { bytes.append(UInt8(ascii: ",")) }
        isFirst = false
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    mutating func null() { raw("null") }

    mutating func integer(_ value: Int64) {
        guard value >= 0 else { return raw(String(value)) }
        decimal(UInt64(value), width: 1)
    }

    /// Writes decimal digits, with leading zeros up to `width`, at most 20.
    mutating func decimal(_ value: UInt64, width: Int) {
        var digits = InlineArray<20, UInt8>(repeating: UInt8(ascii: "0"))
        var first = digits.count
        var rest = value
        repeat {
            first -= 1
            digits[first] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        } while rest > 0
        let used = min(first, digits.count - width)..<digits.count
        bytes.append(addingCapacity: used.count) { output in
            for index in used { output.append(digits[index]) }
        }
    }

    /// Writes a string with only the escapes that RFC 8259, section 7, requires.
    mutating func string(_ text: String) {
        let text = text.utf8Span.span
        guard !text.needsEscape else { return escaped(text) }
        bytes.append(addingCapacity: text.count + 2) { output in
            output.append(UInt8(ascii: "\""))
            output.append(copying: text)
            output.append(UInt8(ascii: "\""))
        }
    }

    private mutating func escaped(_ text: Span<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        for index in text.indices { escaped(text[index]) }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escaped(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""): raw("\\\"")
        case UInt8(ascii: "\\"): raw("\\\\")
        case 0x0A: raw("\\n")
        case 0x0D: raw("\\r")
        case 0x09: raw("\\t")
        case 0..<0x20:
            raw("\\u00")
            bytes.append(hexDigits[Int(byte >> 4)])
            bytes.append(hexDigits[Int(byte & 15)])
        default: bytes.append(byte)
        }
    }
}

/// Each call reserves the room for all its bytes at once: one check for each byte costs three times as much.
extension [UInt8] {
    fileprivate mutating func append(_ text: String) {
        let text = text.utf8Span.span
        append(addingCapacity: text.count) { $0.append(copying: text) }
    }
}

extension OutputSpan<UInt8> {
    fileprivate mutating func append(copying bytes: Span<UInt8>) {
        for index in bytes.indices { append(bytes[index]) }
    }
}

extension Span<UInt8> {
    fileprivate var needsEscape: Bool {
        // Without an early end, the compiler compares many bytes at once.
        var isFound = false
        for index in indices {
            let byte = self[index]
            isFound = isFound || byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
        }
        return isFound
    }
}

private let hexDigits = Array("0123456789abcdef".utf8)

/// Writes members of an object. An optional value that is nil is written as null, so that every member is present.
extension JSONWriter {
    mutating func member(_ name: String, _ value: String?) {
        self.name(name)
        if let value { string(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: Int64?) {
        self.name(name)
        if let value { integer(value) } else { null() }
    }

    mutating func member(_ name: String, _ value: Int?) {
        member(name, value.map(Int64.init))
    }

    mutating func member(_ name: String, _ value: Bool?) {
        self.name(name)
        if let value { raw(value ? "true" : "false") } else { null() }
    }

    mutating func member(_ name: String, _ value: Timestamp?) {
        self.name(name)
        if let value { instant(value) } else { null() }
    }

    /// Writes canonical JSON; an empty object for nil.
    mutating func member(_ name: String, _ value: JSONText?) {
        self.name(name)
        raw(value?.text ?? "{}")
    }

    mutating func member(_ name: String, members body: (inout JSONWriter) -> Void) {
        self.name(name)
        object(body)
    }

    /// Writes digests by the names of their algorithms.
    mutating func digests(_ name: String, _ digests: [Digest]) {
        member(
            name,
            members: { writer in
                for digest in digests { writer.member(digest.algorithm.rawValue, digest.hex) }
            }
        )
    }
}
