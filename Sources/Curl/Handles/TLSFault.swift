import CLibcurl

/// Why no TLS connection was made, as far as OpenSSL says.
public enum TLSFault: Hashable, Sendable {
    /// The certificate is trusted, but for other hosts: the first of its names, and the host of the URL.
    case otherHost(names: [String], host: String)
    /// The certificate is no longer valid, since these seconds after 1970.
    case expired(at: Int64?)
    /// The certificate is valid from these seconds after 1970 on.
    case notYetValid(from: Int64?)
    /// No trusted authority signed the certificate. The last certificate that was sent names this issuer.
    case unknownAuthority(issuer: String?)
    /// The server sent only its own certificate, and its issuer is not trusted: mostly, the certificate between them is
    /// missing.
    case missingIntermediate(issuer: String?)
    /// Another result of the verification (`X509_V_ERR_*`, X509_STORE_CTX_get_error(3)).
    case certificateRefused(code: Int)
    /// The first bytes of the server are not TLS.
    case notTLS
    /// Client and server have no version of TLS in common.
    case noCommonVersion
    /// The server knows no host of this name.
    case unknownName
    /// The server's alert ended the handshake.
    case alert(TLSAlert)

    /// Whether a later attempt fails too, unless somebody changes the server, the client or the authorities. Every
    /// other fault may be one of the network, or of a server that is being restarted.
    public var isFinal: Bool {
        switch self {
        case .otherHost, .expired, .notYetValid, .unknownAuthority, .missingIntermediate, .certificateRefused, .notTLS,
            .noCommonVersion, .unknownName:
            true
        case .alert: false
        }
    }
}

extension TLSFault {
    /// - Parameters:
    ///   - result: The result of the verification.
    ///   - chainLength: The number of certificates that the server sent.
    init(verification result: Int32, of certificate: PeerCertificate?, chainLength: Int) {
        switch result {
        // X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED.
        case 9: self = .notYetValid(from: certificate?.beginSeconds)
        case 10: self = .expired(at: certificate?.endSeconds)
        // UNABLE_TO_GET_ISSUER_CERT_LOCALLY, UNABLE_TO_VERIFY_LEAF_SIGNATURE.
        case 20 where chainLength == 1, 21: self = .missingIntermediate(issuer: certificate?.issuer)
        // UNABLE_TO_GET_ISSUER_CERT, DEPTH_ZERO_SELF_SIGNED_CERT, SELF_SIGNED_CERT_IN_CHAIN.
        case 2, 18, 19, 20: self = .unknownAuthority(issuer: certificate?.issuer)
        default: self = .certificateRefused(code: Int(result))
        }
    }

    /// - Parameter reason: A reason of OpenSSL's library `SSL` (sslerr.h); nil if it says nothing of use.
    init?(reason: UInt) {
        switch reason {
        // SSL_R_WRONG_VERSION_NUMBER of the first record, SSL_R_HTTP_REQUEST, SSL_R_PACKET_LENGTH_TOO_LONG.
        case 267, 156, 198: self = .notTLS
        // SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_NO_PROTOCOLS_AVAILABLE, SSL_R_WRONG_SSL_VERSION.
        case 258, 191, 266: self = .noCommonVersion
        default: return nil
        }
    }

    init(_ alert: TLSAlert) {
        switch alert {
        case .protocolVersion, .insufficientSecurity: self = .noCommonVersion
        case .unrecognizedName: self = .unknownName
        default: self = .alert(alert)
        }
    }
}
