import CLibcurl
import Glibc

/// What OpenSSL knows of a connection, which libcurl does not tell.
///
/// The two functions are looked for where libcurl's own calls find them: the headers of OpenSSL would be needed for a
/// build, and must fit what libcurl was linked with.
struct TLSSession {
    private typealias HasPending = @convention(c) (UnsafeMutableRawPointer) -> Int32
    private typealias SelectedProtocol =
        @convention(c) (
            UnsafeMutableRawPointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>
        ) -> Void

    private static let hasPending = function("SSL_has_pending", as: HasPending.self)
    private static let selectedProtocol = function("SSL_get0_alpn_selected", as: SelectedProtocol.self)

    private let raw: UnsafeMutableRawPointer
    private let hasPending: HasPending
    private let selectedProtocol: SelectedProtocol

    /// - Parameter raw: An `SSL *`.
    init?(_ raw: UnsafeMutableRawPointer) {
        guard let hasPending = Self.hasPending, let selectedProtocol = Self.selectedProtocol else { return nil }
        self.raw = raw
        self.hasPending = hasPending
        self.selectedProtocol = selectedProtocol
    }

    /// Whether bytes were taken from the socket that nobody has read.
    var hasUnread: Bool { hasPending(raw) != 0 }

    /// Whether the two agreed on HTTP/2 (ALPN, RFC 7301).
    var speaksHTTP2: Bool {
        var name: UnsafePointer<UInt8>?
        var length: UInt32 = 0
        selectedProtocol(raw, &name, &length)
        return UnsafeBufferPointer(start: name, count: Int(length)).elementsEqual("h2".utf8)
    }

    private static func function<Function>(_ name: String, as type: Function.Type) -> Function? {
        // Both signatures are those of the library's manual pages, SSL_pending(3) and SSL_CTX_set_alpn_select_cb(3).
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}

extension EasyHandle {
    /// That of the connection in use; nil without TLS, and with a TLS library other than OpenSSL.
    var tlsSession: TLSSession? { shim_openssl_session(raw).flatMap(TLSSession.init) }
}
