@testable import Curl

extension FuzzTarget {
    /// The head of a response, line by line as libcurl passes it on, and the replies of an FTP server.
    static let responseHeads = FuzzTarget(name: "response-heads") { bytes in
        let limits = HeadLimits(bytes: 4096, fields: 32)
        var builder = HeadBuilder(limits: limits)
        var replies = FTPReplies()
        for line in lines(bytes) {
            let progress = line.withUnsafeBytes { line in
                replies.receive(line, size: 1)
                return builder.consume(line)
            }
            switch progress {
            case .complete: try checkHead(builder, limits)
            case .interim, .incomplete: break
            case .tooLarge, .malformed, .unframed: return
            }
        }
    }

    private static func checkHead(_ builder: HeadBuilder, _ limits: HeadLimits) throws {
        try check((100...999).contains(builder.status), "a status has three digits: \(builder.status)")
        try check(builder.fields.count <= limits.fields, "the number of fields is limited")
        guard let framing = builder.framing else { throw BrokenProperty(description: "a head has a framing") }
        try check(framing.length ?? 0 >= 0, "a length is not negative: \(framing)")
        for field in builder.fields {
            try check(!field.name.isEmpty && field.name.utf8.allSatisfy(\.isTokenCharacter), "a token: \(field)")
            try check(!field.value.utf8.contains { $0 == 0x0A || $0 == 0x0D }, "a value is one line: \(field)")
        }
        let again = try BodyFraming(status: builder.status, version: builder.version, fields: builder.fields)
        try checkSame(framing, again, "a framing depends on status, version and fields")
        _ = builder.isConnectionSuspect
    }

    private static func lines(_ bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var (lines, start): ([ArraySlice<UInt8>], Int) = ([], 0)
        for (index, byte) in bytes.enumerated() where byte == 0x0A {
            lines.append(bytes[start...index])
            start = index + 1
        }
        return lines + (start < bytes.count ? [bytes[start...]] : [])
    }

    /// A chunked body, in pieces of any size. The first byte chooses the pieces.
    static let chunks = FuzzTarget(name: "chunks") { bytes in
        let body = Array(bytes.dropFirst())
        let whole = Decoded(body, piece: body.count)
        for piece in [1, Int(bytes.first ?? 0) + 1] {
            try checkSame(whole, Decoded(body, piece: piece), "pieces of \(piece) bytes change nothing")
        }
        try check(whole.content.count <= body.count, "a body is no longer than its chunks")
        guard whole.isComplete else { return }
        try check(whole.fault == nil, "a complete body has no fault")
        let chunk =
            whole.content.isEmpty ? [] : Array("\(String(whole.content.count, radix: 16))\r\n".utf8) + whole.content
        let written = chunk + Array((chunk.isEmpty ? "" : "\r\n").utf8) + Array("0\r\n\r\n".utf8)
        try check(Decoded(written, piece: 7).content == whole.content, "a body that is written is read again")
    }

    private struct Decoded: Equatable {
        var content: [UInt8] = []
        let fault: ChunkDecoder.Fault?
        let isComplete: Bool
        let hasSurplus: Bool

        init(_ bytes: [UInt8], piece: Int) {
            var decoder = ChunkDecoder()
            var content: [UInt8] = []
            for start in stride(from: 0, to: bytes.count, by: max(piece, 1)) {
                bytes[start..<min(start + piece, bytes.count)].withUnsafeBytes { piece in
                    decoder.decode(piece) { content += $0 }
                }
            }
            self.content = content
            (fault, isComplete, hasSurplus) = (decoder.fault, decoder.isComplete, decoder.hasSurplus)
        }
    }

    /// A file of known keys. Its first line is the host.
    static let knownHosts = FuzzTarget(name: "known-hosts") { bytes in
        let (line, rest) = bytes.firstLine
        let text = String(decoding: rest, as: UTF8.self)
        let host = String(decoding: line.filter { $0.isInHostName || "[]:".utf8.contains($0) }, as: UTF8.self)
        for port: UInt16 in [22, 2222] {
            let hosts = KnownHosts(text, host: host, port: port)
            try check(!hosts.trusted.contains { hosts.revoked.contains($0.bytes) }, "no revoked key is trusted")
            guard !host.isEmpty, !host.hasPrefix("["), !host.contains(where: { "[]:".contains($0) }) else { continue }
            let again = KnownHosts(hosts.lines, host: host, port: port)
            try checkSame(hosts.trusted, again.trusted, "the lines for libssh2 name the same keys")
        }
    }
}
