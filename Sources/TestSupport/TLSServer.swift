import COpenSSL

/// How an ``Origin`` speaks TLS.
public final class TLSServer: Sendable {
    public enum Version: Int32, Sendable {
        case tls10 = 0x0301
        case tls12 = 0x0303
        case tls13 = 0x0304
    }

    // OpenSSL's context may be used by several threads once it is set up, and is not changed from then on.
    nonisolated(unsafe) private let context: OpaquePointer

    /// What is agreed on with a client that offers a choice (ALPN, RFC 7301).
    public enum Speech: Sendable {
        case http1, http2, either
    }

    /// - Parameters:
    ///   - versions: What it agrees to.
    ///   - clientAuthority: Who must have signed the client's certificate; nil asks for none.
    public init(
        _ identity: TestIdentity,
        versions: ClosedRange<Version> = .tls12 ... .tls13,
        speech: Speech = .http1,
        clientAuthority: TestAuthority? = nil
    ) {
        guard let context = SSL_CTX_new(TLS_server_method()) else { preconditionFailure("no TLS") }
        self.context = context
        // The versions before 1.2 are signed with SHA-1, which OpenSSL allows at this level alone.
        if versions.lowerBound == .tls10 { SSL_CTX_set_cipher_list(context, "DEFAULT@SECLEVEL=0") }
        shim_set_protocol_versions(context, versions.lowerBound.rawValue, versions.upperBound.rawValue)
        let certificate = TestCertificate(pem: identity.certificate)
        let key = TestKey(pem: identity.key)
        precondition(certificate.use { SSL_CTX_use_certificate(context, $0) } == 1, "the certificate is refused")
        precondition(key.use { SSL_CTX_use_PrivateKey(context, $0) } == 1, "the key is refused")
        switch speech {
        case .http1: break
        case .http2: shim_speak_http2(context)
        case .either: shim_speak_either(context)
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
        guard let session = SSL_new(context) else { return nil }
        let made = TLSSession(session, socket)
        return made.accept() ? made : nil
    }
}

extension TLSServer.Version: Comparable {
    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
}
