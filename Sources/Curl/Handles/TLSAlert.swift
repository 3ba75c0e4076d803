/// A TLS alert that ended a connection (RFC 8446, section 6.2).
public struct TLSAlert: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    static let protocolVersion = Self(rawValue: 70)
    static let insufficientSecurity = Self(rawValue: 71)
    static let unrecognizedName = Self(rawValue: 112)
    static let noApplicationProtocol = Self(rawValue: 120)

    /// Whether the peer refused the client's certificate, or requires one.
    var concernsCertificate: Bool {
        // bad_certificate, unsupported_, revoked, expired, unknown; unknown_ca; bad_certificate_status_response,
        // certificate_required; in SSL 3 no_certificate.
        switch rawValue {
        case 41...46, 48, 113, 116: true
        default: false
        }
    }

    /// The name in RFC 8446, appendix B.2; nil for one without.
    public var name: String? { Self.names[rawValue] }

    private static let names: [UInt8: String] = [
        10: "unexpected_message", 20: "bad_record_mac", 22: "record_overflow", 40: "handshake_failure",
        42: "bad_certificate", 43: "unsupported_certificate", 44: "certificate_revoked", 45: "certificate_expired",
        46: "certificate_unknown", 47: "illegal_parameter", 48: "unknown_ca", 49: "access_denied", 50: "decode_error",
        51: "decrypt_error", 70: "protocol_version", 71: "insufficient_security", 80: "internal_error",
        86: "inappropriate_fallback", 109: "missing_extension", 110: "unsupported_extension",
        112: "unrecognized_name", 113: "bad_certificate_status_response", 116: "certificate_required",
        120: "no_application_protocol",
    ]
}
