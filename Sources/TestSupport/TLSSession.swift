import COpenSSL

/// TLS on one connection. The records go through memory, so that they can be damaged on their way.
// The thread that serves the connection alone calls it.
final class TLSSession: @unchecked Sendable {
    private let session: OpaquePointer
    private let socket: Socket
    /// Records from the peer, and records for it; the session owns both.
    private let incoming: OpaquePointer?
    private let outgoing: OpaquePointer?

    init(_ session: OpaquePointer, _ socket: Socket) {
        self.session = session
        self.socket = socket
        incoming = BIO_new(BIO_s_mem())
        outgoing = BIO_new(BIO_s_mem())
        SSL_set_bio(session, incoming, outgoing)
    }

    deinit { SSL_free(session) }

    func accept() -> Bool {
        while true {
            let code = SSL_accept(session)
            let wantsMore = SSL_get_error(session, code) == SSL_ERROR_WANT_READ
            guard send(), code != 1 else { return code == 1 }
            guard wantsMore, receive() else { return false }
        }
    }

    /// Whether the two agreed on HTTP/2.
    var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        SSL_get0_alpn_selected(session, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    /// - Returns: Empty at the end of the stream or after an error.
    func read() -> [UInt8] {
        while true {
            var code: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: 16 << 10) { buffer, count in
                code = SSL_read(session, buffer.baseAddress, Int32(buffer.count))
                count = Int(max(0, code))
            }
            if code > 0 { return bytes }
            guard SSL_get_error(session, code) == SSL_ERROR_WANT_READ, send(), receive() else { return [] }
        }
    }

    /// - Parameter isDamaged: Whether the last bit of the records is turned on their way.
    /// - Returns: False once the peer has gone.
    func write(_ bytes: [UInt8], isDamaged: Bool = false) -> Bool {
        if bytes.isEmpty { return true }
        guard SSL_write(session, bytes, Int32(bytes.count)) > 0 else { return false }
        return send(isDamaged: isDamaged)
    }

    /// Says that nothing follows (close_notify; RFC 8446, section 6.1).
    func sayGoodbye() {
        SSL_shutdown(session)
        _ = send()
    }

    private func send(isDamaged: Bool = false) -> Bool {
        guard var records = outgoing?.readAll(), !records.isEmpty else { return true }
        if isDamaged { records[records.count - 1] ^= 1 }
        return socket.write(records)
    }

    private func receive() -> Bool {
        let records = socket.read()
        return !records.isEmpty && BIO_write(incoming, records, Int32(records.count)) > 0
    }
}
