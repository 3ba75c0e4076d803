import Core
import Linux
import TestSupport
import Testing

@testable import Transfer

/// Heads that mark the end of their body in any way, and in ways that only some would read: what becomes a file is
/// what a parser that forgives nothing proves, byte for byte.
struct FramingPropertyTests {
    private static let body = Array(Content(size: 3000).allBytes)
    private static let count = 300

    @Test(arguments: [UInt64(1), 2, 3])
    func onlyBodiesThatAStrictParserProvesBecomeFiles(seed: UInt64) async throws {
        var random = SplitMix64(seed: seed)
        var published = 0
        try await withBench(settings: .change { $0.digest = nil }) { bench in
            for number in 0..<Self.count {
                let response = Self.response(&random)
                bench.origin.serve("/\(number)", Content(size: 1), script: [Behaviour { $0.response = .raw(response) }])
                let outcome = await bench.attempt(try bench.assignment("/\(number)"))
                // A host that sends what is no answer is left alone for a while.
                bench.time.advance(by: .seconds(3600))

                let file = try outcome.file.map { try bench.bytes($0.path) }
                let proven = StrictResponse(response)
                let isRight =
                    file.map { proven == .proven($0) || proven == .provenWithFold($0) } ?? !Self.isProven(proven)
                let head = String(decoding: response.prefix(300), as: UTF8.self)
                #expect(isRight, "\(String(reflecting: head)): \(outcome)")
                if file != nil { published += 1 }
            }
        }
        // The generator is of use only if some of them are right.
        #expect(published > Self.count / 10)
    }

    private static func isProven(_ response: StrictResponse) -> Bool {
        if case .proven = response { true } else { false }
    }

    private static func response(_ random: inout SplitMix64) -> [UInt8] {
        let isChunked = random.chance(oneIn: 2)
        var body = isChunked ? chunked(Self.body) : Self.body
        if random.chance(oneIn: 3) { body.removeLast(Int.random(in: 1...500, using: &random)) }
        var lines = [random.chance(oneIn: 30) ? random.pick(oddStatusLines) : "HTTP/1.1 200 OK"]
        for _ in 0..<Int.random(in: 0...2, using: &random) { lines.append(random.pick(others)) }
        for _ in 0..<(random.chance(oneIn: 5) ? 2 : 1) {
            let isEncoding = isChunked != random.chance(oneIn: 6)
            lines.append(isEncoding ? encoding(&random) : length(&random))
        }
        if random.chance(oneIn: 4) { lines.append(random.pick(others)) }
        let end = random.chance(oneIn: 6) ? "\n" : "\r\n"
        return Array((lines.joined(separator: end) + end + end).utf8) + body
    }

    private static func chunked(_ body: [UInt8]) -> [UInt8] {
        var chunks: [UInt8] = []
        for start in stride(from: 0, to: body.count, by: 1000) {
            chunks += Array("3e8\r\n".utf8) + body[start..<(start + 1000)] + [0x0D, 0x0A]
        }
        return chunks + Array("0\r\n\r\n".utf8)
    }

    private static let oddStatusLines = [
        "HTTP/1.1 \t200 OK", "HTTP/x 200 OK", "HTTP/1.1 200OK", "HTTP/1.1\t200 200 OK", "HTTP/9.9 200 OK", "HTTP/1.1",
        "HTTP/1.1 0200 OK", "HTTP/1.1 +20 OK",
    ]

    private static let others = [
        "X-Other: y", "X-Folded: a\r\n b", "X-Other: Transfer-Encoding: chunked", "X Powered By: z", "X-Empty:",
        "X-Folded: a\r\n Content-Length: 100", "Connection: close", "X-Return: a\rContent-Length: 100",
        "HTTP/1.1 200 a: b", "X Y: a\r\n Transfer-Encoding: chunked", "X-Trailing : z", "Proxy-Connection : x",
    ]

    private static func encoding(_ random: inout SplitMix64) -> String {
        let value =
            random.chance(oneIn: 2)
            ? "chunked"
            : random.pick([
                "Chunked", "chun ked", "chunk\ted", "identity", "gzip", "gzip, chunked", "chunked, gzip",
                "chunked, chunked",
                "identity, chunked", "chunked, identity", ", chunked", "", "xchunked", "chunked;a=b", "\"chunked\"",
                "chunked\u{B}", "\u{B}chunked",
            ])
        return field(random.pick(["Transfer-Encoding", "transfer-encoding", "TRANSFER-ENCODING"]), value, &random)
    }

    private static func length(_ random: inout SplitMix64) -> String {
        let value =
            random.chance(oneIn: 2)
            ? "3000"
            : random.pick([
                "2000", "3001", "+3000", "-3000", "03000", "3000, 3000", "3000, 2000", "3000,", "", "3000 2000", "0x10",
                "9223372036854775808", "99999999999999999999", "3000abc", "3\u{B}000",
            ])
        return field(random.pick(["Content-Length", "content-length"]), value, &random)
    }

    private static func field(_ name: String, _ value: String, _ random: inout SplitMix64) -> String {
        guard random.chance(oneIn: 3) else { return "\(name): \(value)" }
        return random.pick([
            "\(name) : \(value)", "\(name)\t: \(value)", "\(name):\r\n \(value)", "\(name):\r\n\t\(value)",
            " \(name): \(value)", "\t\(name): \(value)", "\(name):\(value)", "\(name): \(value) \t",
            "\(name)::\(value)",
            "\(name): \(value)\r\n \t", "\(name): \(value)\r", "\r\(name): \(value)", "\u{B}\(name): \(value)",
            "\(name)\u{B}: \(value)", "\(name)\u{A0}: \(value)", "\u{FEFF}\(name): \(value)", "\(name)\r: \(value)",
        ])
    }
}

extension Bench {
    /// What a file in the downloads folder holds.
    fileprivate func bytes(_ path: String) throws -> [UInt8] {
        try engine.disk.folders.downloads.openFile(relative: path).readToEnd(limit: 1 << 20)
    }
}

/// What a parser that forgives nothing makes of a response over HTTP/1.1 (RFC 9112): written for the tests, and no part
/// of it is shared with the service.
enum StrictResponse: Equatable {
    /// The body is this one, and its end was marked.
    case proven([UInt8])
    /// The same, and a field that delimits the body is folded: a reader may refuse it (section 5.2).
    case provenWithFold([UInt8])
    /// The head is one, and nothing shows where its body ends, or the body was cut.
    case unproven
    /// The head is none, or nobody may say where its body ends.
    case malformed

    init(_ response: [UInt8]) {
        guard let (lines, body) = Self.split(response), let (fields, isFolded) = Self.fields(lines) else {
            self = .malformed
            return
        }
        let result = Self.delimited(body, by: fields)
        if isFolded, case .proven(let body) = result { self = .provenWithFold(body) } else { self = result }
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
            // Another CR makes the line invalid (section 2.2).
            guard !line.contains(0x0D) else { return nil }
            lines.append(String(decoding: line, as: UTF8.self))
        }
        return nil
    }

    /// A name that is no token names nothing, unless it could be taken for one of the fields that delimit the body
    /// (section 5.1). If one of these is folded, the lines become one (section 5.2).
    private static func fields(_ lines: [String]) -> (fields: [Field], isFolded: Bool)? {
        guard lines.first == "HTTP/1.1 200 OK" else { return nil }
        var fields: [Field?] = []
        var isFolded = false
        for line in lines.dropFirst() {
            if line.first == " " || line.first == "\t" {
                guard let last = fields.last else { return nil }
                guard let last, isFraming(last.name) else { continue }
                isFolded = true
                fields[fields.count - 1] = (last.name, trimmed("\(last.value) \(trimmed(line[...]))"[...]))
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
        return (fields.compactMap(\.self), isFolded)
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
        guard areDigits, lengths.allSatisfy({ $0 == lengths[0] }) else { return .malformed }
        let encoding = list("transfer-encoding", fields)
        if !encoding.isEmpty {
            guard encoding.map({ $0.lowercased() }).filter({ !$0.isEmpty }) == ["chunked"] else { return .malformed }
            return dechunked(body).map(Self.proven) ?? .unproven
        }
        guard let first = lengths.first else { return .unproven }
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
            if size == 0 { return rest.starts(with: [0x0D, 0x0A]) ? content : nil }
            guard rest.count >= size + 2 else { return nil }
            content += rest.prefix(size)
            rest = rest.dropFirst(size + 2)
        }
        return nil
    }
}
