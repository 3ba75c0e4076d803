/// What a client sees of a ``RawRequest``.
struct Observation {
    private static let probe = RawRequest.line("GET /probe HTTP/1.1")
    private static let probeEcho = "GET /probe -  "

    private(set) var outcome = ""
    private(set) var echo: String?

    /// - Parameter hasProbe: Whether another request follows the last byte at once. An answer to it shows that the
    ///   connection is open, and that no byte of it was taken for the first request's.
    init(of request: RawRequest, port: UInt16, hasProbe: Bool) throws {
        let client = try RawClient(port: port)
        defer { client.close() }
        let peer = request.pieces.count > 1 ? try client.peerDescriptor() : nil
        for piece in request.pieces.dropLast() {
            client.send(piece)
            if request.isInvited { client.waitForAnswer() } else if let peer { client.waitUntilRead(by: peer) }
        }
        client.send((request.pieces.last ?? []) + (hasProbe ? Array(Self.probe.utf8) : []))
        read(client.readAll(until: Self.probeEcho), isHead: request.isHead)
    }

    private mutating func read(_ bytes: [UInt8]?, isHead: Bool) {
        guard var rest = bytes?[...] else {
            outcome = "neither answered nor closed"
            return
        }
        var words: [String] = []
        var isAnnounced = true
        while !rest.isEmpty {
            guard let response = Self.removeResponse(from: &rest, isHead: isHead && words.isEmpty) else {
                words.append("excess")
                break
            }
            if response.text == Self.probeEcho {
                outcome = (words + ["open"]).joined(separator: " ")
                return
            }
            words += Self.words(of: response)
            if response.status == 200, echo == nil { echo = response.text }
            isAnnounced = response.field("connection") == "close"
        }
        // The last answer before the end must say so (RFC 9112, section 9.6).
        outcome = (words + [isAnnounced ? "closed" : "closed unannounced"]).joined(separator: " ")
    }

    private static func words(of response: RawResponse) -> [String] {
        let status = String(response.status)
        guard response.status >= 400 else { return [status] }
        return [status, response.field("content-type") == "application/problem+json" ? response.text : "page"]
    }

    private static func removeResponse(from bytes: inout ArraySlice<UInt8>, isHead: Bool) -> RawResponse? {
        guard
            let end = bytes.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound,
            var response = RawResponse(head: String(decoding: bytes[..<end], as: UTF8.self))
        else { return nil }
        let length = isHead ? 0 : response.contentLength
        guard bytes.count - (end - bytes.startIndex) >= length else { return nil }
        response.body = Array(bytes[end..<(end + length)])
        bytes = bytes[(end + length)...]
        return response
    }
}
