/// What a URL of FTP or SFTP must not be, and how it is fetched.
extension ParsedURL {
    /// - Parameter decoded: The path as the server will be told; libcurl decodes it before it looks for slashes.
    static func requireFile(_ path: String, _ query: String?, _ decoded: String?) throws(URLParseError) {
        guard query == nil else { throw .queryOfFile }
        guard let decoded else { throw .malformed }
        // A line break would be a command of its own.
        guard !decoded.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw .forbiddenCharacter }
        guard !decoded.hasSuffix("/") else { throw .folder }
        // Behind it libcurl reads a type (RFC 1738, section 3.2.2): to change bytes on the way, or to list a folder.
        guard !path.utf8.contains(UInt8(ascii: ";")) else { throw .fileType }
    }

    /// Whether the connection begins in clear text and turns to TLS before anything is said (RFC 4217): `ftps` at the
    /// port of `ftp`. At any other port TLS comes first.
    var upgradesToTLS: Bool { scheme == .ftps && port == 21 }

    /// What libcurl is given: its `ftps` always begins with TLS.
    var fetchedText: String { upgradesToTLS ? "ftp" + text.dropFirst(Scheme.ftps.rawValue.count) : text }
}
