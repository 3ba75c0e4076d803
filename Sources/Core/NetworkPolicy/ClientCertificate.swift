import HTTPFields

/// The client certificate for a host, or for all subdomains of a name.
public struct ClientCertificate: Hashable, Sendable, CustomStringConvertible {
    /// In lower case. A leading dot means all subdomains of the name.
    private let host: String
    /// The path of the certificate in PEM. Intermediate certificates may follow it in the file.
    public let certificateFile: String
    /// The path of the private key in PEM, not encrypted. It may be the same file.
    public let keyFile: String

    /// Parses `<host>=<file>`, with certificate and key in one file, or `<host>=<file>:<key file>`. `*.<name>` means
    /// all subdomains of a name.
    public init?(_ text: String) {
        guard let equals = text.firstIndex(of: "=") else { return nil }
        let pattern = text[..<equals].lowercased()
        let host = pattern.hasPrefix("*.") ? String(pattern.dropFirst()) : pattern
        let name = host.drop { $0 == "." }
        // An IPv6 address has brackets, as in a URL.
        guard !name.isEmpty, name.utf8.allSatisfy({ $0.isTokenCharacter || "[:]".utf8.contains($0) }),
            !name.utf8.contains(UInt8(ascii: "*")), host == name || pattern.hasPrefix("*.")
        else { return nil }
        let files = text[text.index(after: equals)...].split(separator: ":", omittingEmptySubsequences: false)
        guard files.count <= 2, files.allSatisfy({ !$0.isEmpty }) else { return nil }
        self.host = host
        certificateFile = String(files[0])
        keyFile = String(files[files.count - 1])
    }

    public var description: String {
        let files = certificateFile == keyFile ? certificateFile : "\(certificateFile):\(keyFile)"
        return "\(host.hasPrefix(".") ? "*" : "")\(host)=\(files)"
    }

    /// - Parameter host: The host as in a URL.
    public func isFor(_ host: String) -> Bool {
        self.host.hasPrefix(".") ? host.hasSuffix(self.host) : host == self.host
    }
}
