import CLibcurl
import Glibc

/// OpenSSL's state of a connection.
struct TLSSession {
    private let raw: UnsafeMutableRawPointer
    private let hasPending: @convention(c) (UnsafeMutableRawPointer) -> Int32

    /// - Parameter raw: An `SSL *`.
    init?(_ raw: UnsafeMutableRawPointer) {
        guard let hasPending = OpenSSL.hasPending, OpenSSL.selectedProtocol != nil else { return nil }
        self.raw = raw
        self.hasPending = hasPending
    }

    /// Whether OpenSSL has unread bytes from the socket.
    var hasUnread: Bool { hasPending(raw) != 0 }

    /// Whether client and server agreed on HTTP/2 (ALPN, RFC 7301).
    var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        OpenSSL.selectedProtocol?(raw, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }
}

extension EasyHandle {
    /// The TLS session of the connection; nil without TLS or with a library other than OpenSSL.
    var tlsSession: TLSSession? { shim_openssl_session(raw).flatMap(TLSSession.init) }
}
