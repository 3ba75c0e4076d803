@testable import Curl

/// Reads requests that follow one another on a connection, and accepts only what RFC 9112 lets a client send.
struct StrictRequests {
    struct Request: Equatable {
        let method: String
        let target: String
        let body: [UInt8]
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// - Returns: nil for anything else than a whole request.
    mutating func next() -> Request? {
        // Section 2.2: empty lines before a request are ignored. libmicrohttpd takes a bare line feed for one.
        while rest.starts(with: [0x0D, 0x0A]) || rest.first == 0x0A {
            rest = rest.dropFirst(rest.first == 0x0A ? 1 : 2)
        }
        guard let words = line()?.split(separator: 0x20, omittingEmptySubsequences: false), words.count == 3,
            isVersion1(words[2]), !words[1].isEmpty, !words[0].isEmpty, words[0].allSatisfy(\.isTokenCharacter),
            let framing = fields(), let body = body(framing)
        else { return nil }
        return Request(
            method: String(decoding: words[0], as: UTF8.self),
            target: String(decoding: words[1], as: UTF8.self),
            body: body
        )
    }

    /// RFC 9110, section 2.5: a higher minor version is read as the highest that is known.
    private func isVersion1(_ word: ArraySlice<UInt8>) -> Bool {
        word.count == 8 && word.starts(with: "HTTP/1.".utf8) && word.last.map { (0x30...0x39).contains($0) } == true
    }

    /// A line without its end, which has no other CR, LF or NUL. NUL and LF are an end too: ``HeadLayout`` cannot tell
    /// them from CR and LF.
    private mutating func line() -> ArraySlice<UInt8>? {
        guard let end = rest.firstIndex(of: 0x0A), end > rest.startIndex, [0x0D, 0].contains(rest[end - 1]) else {
            return nil
        }
        let line = rest[..<(end - 1)]
        rest = rest[(end + 1)...]
        return line.contains(0x0D) || line.contains(0) ? nil : line
    }

    /// How the body ends: a length of nil is chunks.
    private mutating func fields() -> (length: Int?, isChunked: Bool)? {
        var lengths: [String] = []
        var codings: [String] = []
        while true {
            guard let line = line() else { return nil }
            if line.isEmpty { break }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
                line[..<colon].allSatisfy(\.isTokenCharacter)
            else { return nil }
            let value = String(decoding: line[(colon + 1)...], as: UTF8.self).trimmedBlanks
            switch String(decoding: line[..<colon], as: UTF8.self).lowercased() {
            case "content-length": lengths.append(value)
            case "transfer-encoding": codings.append(value)
            default: break
            }
        }
        guard lengths.count + codings.count <= 1 else { return nil }
        guard codings.isEmpty else { return codings[0].lowercased() == "chunked" ? (nil, true) : nil }
        guard let text = lengths.first else { return (0, false) }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(text) else { return nil }
        return (length, false)
    }

    private mutating func body(_ framing: (length: Int?, isChunked: Bool)) -> [UInt8]? {
        guard framing.isChunked else {
            guard let length = framing.length, length <= rest.count else { return nil }
            defer { rest = rest.dropFirst(length) }
            return Array(rest.prefix(length))
        }
        var decoder = ChunkDecoder()
        var body: [UInt8] = []
        while let byte = rest.popFirst() {
            withUnsafeBytes(of: byte) { piece in decoder.decode(piece) { body += $0 } }
            if decoder.isComplete { return body }
            if decoder.fault != nil { return nil }
        }
        return nil
    }
}

extension String {
    fileprivate var trimmedBlanks: String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
}
