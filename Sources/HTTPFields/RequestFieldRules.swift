/// Rules for the header fields and the body that a client may set for a download's requests.
public enum RequestFieldRules {
    /// Fields that frame the message, belong to a single connection (RFC 9110, section 7.6.1), make the request
    /// conditional, or decide how the bytes are transferred: the engine sets all of these itself.
    public static let reserved: Set<String> = [
        "accept-encoding", "connection", "content-length", "expect", "host", "http2-settings", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive", "range", "te", "trailer",
        "transfer-encoding", "upgrade",
    ]
    /// The prefix of all fields for a proxy.
    public static let reservedPrefix = "proxy-"

    /// The largest body of a request to an origin, in bytes.
    public static let maximumBodyBytes = 64 << 10

    /// Whether `name` is a token, as a field's name must be (RFC 9110, section 5.1).
    public static func isFieldName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.allSatisfy(\.isTokenCharacter)
    }

    /// Whether a client must not set this field. Case does not matter.
    public static func isReserved(_ name: String) -> Bool {
        let lowered = name.lowercasedASCII
        return reserved.contains(lowered) || lowered.hasPrefix(reservedPrefix)
    }
}
