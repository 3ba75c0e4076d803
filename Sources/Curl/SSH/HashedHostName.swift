import FoundationEssentials

/// A host name as `HashKnownHosts` of OpenSSH writes it: `|1|salt|hash`, a HMAC with SHA-1 (ssh_config(5)).
enum HashedHostName {
    static func matches(_ text: String, _ name: String) -> Bool {
        let parts = text.split(separator: "|", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0].isEmpty, parts[1] == "1", let salt = Data(base64Encoded: String(parts[2])),
            let hash = Data(base64Encoded: String(parts[3]))
        else { return false }
        return authenticationCode(Array(name.utf8), key: Array(salt)) == Array(hash)
    }

    /// HMAC-SHA-1 of OpenSSL (HMAC(3)); nil without that library, so that a hashed name matches nothing.
    private static func authenticationCode(_ bytes: [UInt8], key: [UInt8]) -> [UInt8]? {
        typealias HMAC =
            @convention(c) (
                UnsafeMutableRawPointer, UnsafePointer<UInt8>, Int32, UnsafePointer<UInt8>, Int,
                UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt32>
            ) -> UnsafeMutablePointer<UInt8>?
        guard
            let algorithm = OpenSSL.function("EVP_sha1", as: (@convention(c) () -> UnsafeMutableRawPointer?).self)?(),
            let hmac = OpenSSL.function("HMAC", as: HMAC.self)
        else { return nil }
        var code = [UInt8](repeating: 0, count: 64)
        var length: UInt32 = 0
        guard hmac(algorithm, key, Int32(key.count), bytes, bytes.count, &code, &length) != nil else { return nil }
        return Array(code.prefix(Int(length)))
    }
}
