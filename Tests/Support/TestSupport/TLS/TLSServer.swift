import COpenSSL
import Synchronization

/// How an ``Origin`` speaks TLS.
public final class TLSServer: Sendable {
    public enum Version: Int32, Sendable {
        case tls10 = 0x0301
        case tls12 = 0x0303
        case tls13 = 0x0304
    }

    /// What happens to a handshake.
    public enum Handshake: Hashable, Sendable {
        case good
        /// The connection ends after the client's first message.
        case closed(by: Behaviour.Close)
        /// The server answers with this fatal alert (RFC 8446, section 6.2).
        case alert(UInt8)
        /// The server answers without TLS.
        case clearText
    }

    private let handshakes: Mutex<[Handshake]>
    private let offering: OfferedProtocol

    // OpenSSL's context may be used by several threads once it is set up, and is not changed from then on.
    nonisolated(unsafe) private let context: OpaquePointer

    /// What is agreed on with a client that offers a choice (ALPN, RFC 7301).
    public enum OfferedProtocol: Sendable {
        case http1, http2, either
        /// HTTP/2 alone: the connection of a client that does not offer it ends in the handshake, without an alert.
        case http2OrNoHandshake
        /// HTTP/2 alone: the connection of another client ends after the handshake.
        case http2OrNoResponse
    }

    /// - Parameters:
    ///   - versions: What it agrees to.
    ///   - clientAuthority: Who must have signed the client's certificate; nil asks for none.
    ///   - handshakes: What happens to the first handshakes; the others are good.
    public init(
        _ identity: TestIdentity,
        versions: ClosedRange<Version> = .tls12 ... .tls13,
        offering: OfferedProtocol = .http1,
        clientAuthority: TestAuthority? = nil,
        handshakes: [Handshake] = []
    ) {
        self.handshakes = Mutex(handshakes)
        self.offering = offering
        guard let context = SSL_CTX_new(TLS_server_method()) else { preconditionFailure("no TLS") }
        self.context = context
        // The versions before 1.2 are signed with SHA-1, which OpenSSL allows at this level alone.
        if versions.lowerBound == .tls10 { SSL_CTX_set_cipher_list(context, "DEFAULT@SECLEVEL=0") }
        shim_set_protocol_versions(context, versions.lowerBound.rawValue, versions.upperBound.rawValue)
        let certificate = TestCertificate(pem: identity.certificate)
        let key = TestKey(pem: identity.key)
        precondition(certificate.use { SSL_CTX_use_certificate(context, $0) } == 1, "the certificate is refused")
        precondition(key.use { SSL_CTX_use_PrivateKey(context, $0) } == 1, "the key is refused")
        switch offering {
        case .http1: break
        case .http2, .http2OrNoHandshake: shim_speak_http2(context)
        case .either, .http2OrNoResponse: shim_speak_either(context)
        }
        guard let clientAuthority else { return }
        TestCertificate(pem: clientAuthority.certificate).use { authority in
            _ = X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority)
        }
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
        let name = Array("cormorant".utf8)
        SSL_CTX_set_session_id_context(context, name, UInt32(name.count))
    }

    deinit { SSL_CTX_free(context) }

    /// - Returns: Nil where the two do not agree; the peer was told why.
    func accept(_ socket: Socket) -> TLSSession? {
        let handshake = handshakes.withLock { $0.isEmpty ? .good : $0.removeFirst() }
        if handshake != .good {
            spoil(handshake, on: socket)
            return nil
        }
        guard let session = SSL_new(context) else { return nil }
        let made = TLSSession(session, socket)
        guard made.accept(saysWhyNot: offering != .http2OrNoHandshake) else { return nil }
        return offering == .http2OrNoResponse && !made.speaksHTTP2 ? nil : made
    }
}

extension TLSServer {
    private func spoil(_ handshake: Handshake, on socket: Socket) {
        // Bytes that nobody has read would turn the end of the connection into a reset.
        _ = socket.read()
        switch handshake {
        case .good: break
        case .closed(let close): if close == .reset { socket.resetOnClose() }
        // Record of type alert, TLS 1.2, two bytes: level fatal, description.
        case .alert(let description): _ = socket.write([21, 3, 3, 0, 2, 2, description])
        case .clearText: _ = socket.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        }
    }
}

extension TLSServer.Version: Comparable {
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}

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

    /// - Parameter saysWhyNot: Whether a client that is refused gets an alert.
    func accept(saysWhyNot: Bool) -> Bool {
        while true {
            let code = SSL_accept(session)
            let wantsMore = SSL_get_error(session, code) == SSL_ERROR_WANT_READ
            if code != 1, !wantsMore, !saysWhyNot { return false }
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
