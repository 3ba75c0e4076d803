/// Which query members hold a secret, to judge by their names: signatures of presigned URLs, tokens, passwords.
enum SecretNames {
    /// Names that are secret as a whole.
    private static let whole: [[UInt8]] = [
        "code", "hash", "hdnea", "hdnts", "hmac", "jwt", "key", "key-pair-id", "md5", "otp", "pass", "policy", "pwd",
        "sas",
        "session", "sid", "sig", "st", "ticket",
    ].map { Array($0.utf8) }

    /// Parts that make any name secret, as in `X-Amz-Signature` and `access_token`.
    private static let parts: [[UInt8]] = [
        "accesskey", "access-key", "access_key", "api-key", "api_key", "apikey", "auth", "credential", "passwd",
        "password",
        "private", "secret", "session-id", "session_id", "sessionid", "signature", "token",
    ].map { Array($0.utf8) }

    /// Whether a name, percent-encoded or not, is one of them. Bytes are compared, not characters: it is done for each
    /// URL that is shown.
    static func contains(_ name: some Collection<UInt8>) -> Bool {
        let name = decoded(name).map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
        return whole.contains(name) || parts.contains { isPart($0, of: name) }
    }

    private static func isPart(_ part: [UInt8], of name: [UInt8]) -> Bool {
        guard let first = part.first, name.count >= part.count else { return false }
        return (0...(name.count - part.count)).contains { start in
            name[start] == first && name[start...].starts(with: part)
        }
    }

    private static func decoded(_ name: some Collection<UInt8>) -> [UInt8] {
        guard name.contains(UInt8(ascii: "%")) else { return Array(name) }
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
