/// Which query members hold a secret, to judge by their names: signatures of presigned URLs, tokens, passwords.
enum SecretNames {
    /// Names that are secret as a whole.
    private static let whole: Set<String> = [
        "code", "hash", "hdnea", "hdnts", "hmac", "jwt", "key", "key-pair-id", "md5", "otp", "pass", "policy", "pwd", "sas",
        "session", "sid", "sig", "st", "ticket",
    ]

    /// Parts that make any name secret, as in `X-Amz-Signature` and `access_token`.
    private static let parts = [
        "accesskey", "access-key", "access_key", "api-key", "api_key", "apikey", "auth", "credential", "passwd", "password",
        "private", "secret", "session-id", "session_id", "sessionid", "signature", "token",
    ]

    /// Whether a name, percent-encoded or not, is one of them.
    static func contains(_ name: some Collection<UInt8>) -> Bool {
        let text = String(decoding: decoded(name), as: UTF8.self).lowercased()
        return whole.contains(text) || parts.contains { text.contains($0) }
    }

    private static func decoded(_ name: some Collection<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(name)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                result.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
