/// What a parser that forgives nothing makes of a response over HTTP/1.1 (RFC 9112): written for the tests, and no part
/// of it is shared with the service.
enum StrictResponse: Equatable {
    /// The body is this one, and its end was marked.
    case proven([UInt8])
    /// The same, and beside the chunks stands a length that is none: a reader may refuse it (section 6.3).
    case provenBesideFault([UInt8])
    /// The head is one, and nothing shows where its body ends, or the body was cut.
    case unproven
    /// The head is none, or nobody may say where its body ends.
    case malformed

    init(_ response: [UInt8]) {
        guard let (lines, body) = Self.split(response), let fields = Self.fields(lines) else {
            self = .malformed
            return
        }
        self = Self.delimited(body, by: fields)
    }

    private typealias Field = (name: String, value: String)

    /// A line ends with LF, which CR may precede (section 2.2); an empty one ends the head.
    private static func split(_ response: [UInt8]) -> (lines: [String], body: [UInt8])? {
        var lines: [String] = []
        var rest = response[...]
        while let end = rest.firstIndex(of: 0x0A) {
            var line = rest[..<end]
            rest = rest[(end + 1)...]
            if line.last == 0x0D { line = line.dropLast() }
            if line.isEmpty { return (lines, Array(rest)) }
            // Another CR counts as a space (section 2.2), but where readers could see the end of the head.
            guard line.first != 0x0D else { return nil }
            lines.append(String(decoding: line.map { $0 == 0x0D ? 0x20 : $0 }, as: UTF8.self))
        }
        return nil
    }

    /// A name that is no token names nothing, unless it could be taken for one of the fields that delimit the body
    /// (section 5.1). Of these two none may be folded (section 5.2).
    private static func fields(_ lines: [String]) -> [Field]? {
        guard lines.first == "HTTP/1.1 200 OK" else { return nil }
        var fields: [Field?] = []
        for line in lines.dropFirst() {
            if line.first == " " || line.first == "\t" {
                guard let last = fields.last else { return nil }
                if let last, isFraming(last.name) { return nil }
                continue
            }
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let name = String(line[..<colon])
            let token = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
            if token != name || name.isEmpty {
                if isFraming(token) { return nil }
                fields.append(nil)
            } else {
                fields.append((name, trimmed(line[line.index(after: colon)...])))
            }
        }
        return fields.compactMap(\.self)
    }

    private static func isFraming(_ name: String) -> Bool {
        ["transfer-encoding", "content-length"].contains(name.lowercased())
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        return String(String(text.drop(while: isSpace).reversed()).drop(while: isSpace).reversed())
    }

    private static func list(_ name: String, _ fields: [Field]) -> [String] {
        fields.filter { $0.name.lowercased() == name }
            .flatMap { $0.value.split(separator: ",", omittingEmptySubsequences: false).map(trimmed) }
    }

    /// The rules of section 6.3, for a body that nothing but chunks may code.
    private static func delimited(_ body: [UInt8], by fields: [Field]) -> Self {
        let lengths = list("content-length", fields)
        let areDigits = lengths.allSatisfy { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isNumber } }
        let encoding = list("transfer-encoding", fields)
        if !encoding.isEmpty {
            let codings = encoding.map { $0.lowercased() }.filter { !$0.isEmpty }
            let named = codings.filter { $0 != "identity" }
            if named.isEmpty { return .unproven }
            guard named == ["chunked"], codings.last == "chunked" else { return .malformed }
            return dechunked(body).map { areDigits ? .proven($0) : .provenBesideFault($0) } ?? .unproven
        }
        guard let first = lengths.first else { return .unproven }
        guard areDigits, lengths.allSatisfy({ $0 == first }) else { return .malformed }
        guard let length = Int(first), body.count >= length else { return .unproven }
        return .proven(Array(body.prefix(length)))
    }

    /// The chunks' bytes (section 7.1); nil where the last one is missing (section 8), or whatever follows it.
    private static func dechunked(_ body: [UInt8]) -> [UInt8]? {
        var content: [UInt8] = []
        var rest = body[...]
        while let end = rest.firstIndex(of: 0x0A) {
            let digits = String(decoding: rest[..<end], as: UTF8.self).filter { $0 != "\r" }
            rest = rest[(end + 1)...]
            guard let size = Int(digits, radix: 16) else { return nil }
            if size == 0 { return rest.first == 0x0D ? content : nil }
            guard rest.count >= size + 2 else { return nil }
            content += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return nil
    }
}
