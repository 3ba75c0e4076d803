public import Core
public import Linux

/// A PEM file of certificates or a key (RFC 7468), or a file of SSH host keys. It is validated at the start, because
/// libcurl would report an error only at the first download.
public struct CertificateFile {
    public enum Kind {
        case authorities
        case certificate
        case key
        /// In the format of OpenSSH. An empty file is valid: no server is trusted then.
        case knownHosts
    }

    let kind: Kind
    let path: String

    public init(kind: Kind, path: String) {
        self.kind = kind
        self.path = path
    }

    /// A larger file was named by mistake: a system's certificate bundle has about 256 KiB.
    private static let maximumBytes = 16 << 20

    public static func files(of rule: ClientCertificate) -> [CertificateFile] {
        [Self(kind: .certificate, path: rule.certificateFile), Self(kind: .key, path: rule.keyFile)]
    }

    public static func read(path: String) throws(SystemError) -> Secret {
        let file = try File(path: path, access: .read)
        let text = String(decoding: try file.readToEnd(limit: maximumBytes), as: UTF8.self)
        return Secret(text: text, isReadableByOthers: try file.information().isReadableByOthers)
    }

    /// - Returns: Whether other users can read a private key.
    public func check(_ read: (String) throws(SystemError) -> Secret = Self.read) throws(InvalidValue) -> Bool {
        let file: Secret
        do {
            file = try read(path)
        } catch {
            throw InvalidValue(detail: "\(path): \(error.message)")
        }
        if let fault = fault(in: file.text) { throw InvalidValue(detail: "\(path) \(fault)") }
        return kind == .key && file.isReadableByOthers
    }

    private func fault(in text: String) -> String? {
        if kind == .knownHosts { return nil }
        guard kind == .key else {
            let kinds = ["CERTIFICATE", "TRUSTED CERTIFICATE"]
            return kinds.contains { text.contains("-----BEGIN \($0)-----") } ? nil : "holds no certificate in PEM"
        }
        guard text.contains("PRIVATE KEY-----") else { return "holds no private key in PEM" }
        // The second header is that of OpenSSL's older format, PEM_write_PrivateKey(3).
        let isEncrypted = text.contains("BEGIN ENCRYPTED PRIVATE KEY") || text.contains("Proc-Type: 4,ENCRYPTED")
        return isEncrypted ? "holds an encrypted key; expects a key without a passphrase" : nil
    }
}
