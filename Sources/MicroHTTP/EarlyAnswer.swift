internal import Glibc
internal import HTTPTypes

/// An answer that is due while the body is still coming.
///
/// libmicrohttpd takes no answer between the head and the end of the body, and a body that exceeds the limit may have
/// no end. Nothing else was written for this request, so the answer goes to the socket directly, and the connection
/// is closed after it.
struct EarlyAnswer {
    let bytes: [UInt8]

    /// - Parameter response: a file or a stream has no place in a refusal, and is sent as no content.
    init(_ response: ServerResponse) {
        let content: [UInt8] = if case .bytes(let bytes) = response.body { bytes } else { [] }
        var head = "HTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
        head += "Date: \(Self.date())\r\nConnection: close\r\nContent-Length: \(content.count)\r\n"
        for field in response.headerFields where !Self.isWritten(field.name) {
            head += "\(field.name.rawName): \(field.value)\r\n"
        }
        bytes = Array((head + "\r\n").utf8) + content
    }

    /// Writes what the socket takes at once: an empty send buffer holds any refusal.
    func send(to descriptor: Int32) {
        _ = bytes.withUnsafeBytes {
            Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    private static func isWritten(_ name: HTTPField.Name) -> Bool {
        ServerResponse.isOurs(name) || name == .connection || name == .date
    }

    /// The time now as an IMF-fixdate (RFC 9110 section 5.6.7). The process keeps the C locale for its times.
    private static func date() -> String {
        var now = time(nil)
        var parts = tm()
        gmtime_r(&now, &parts)
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 40) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            let count = strftime(start, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
            return String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
        }
    }
}
