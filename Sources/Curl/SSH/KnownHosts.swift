import FoundationEssentials

/// What a `known_hosts` file says of one SSH server (sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT").
///
/// libcurl gives the file to libssh2, which takes the type of the first line of a host, whatever else is known, and
/// does not understand markers, wildcards and negations. So the file is read here, and libcurl gets the lines that
/// apply.
struct KnownHosts {
    /// A public key: its type, and its bytes.
    struct Key: Hashable {
        let type: String
        let bytes: [UInt8]
    }

    /// The keys of the server, the preferred type first.
    let trusted: [Key]
    /// Keys that must not be trusted, even if they are listed otherwise (`@revoked`).
    let revoked: Set<[UInt8]>
    private let name: String

    /// The types that libssh2 knows. Modern servers refuse signatures of `ssh-rsa` with SHA-1, which older libraries
    /// offer for an RSA key, so such a key comes last.
    private static let types = [
        "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", "ssh-rsa",
    ]

    /// - Parameters:
    ///   - text: The content of the file.
    ///   - host: The host of a URL: a name, or an address, in brackets for IPv6.
    init(_ text: String, host: String, port: UInt16) {
        let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        let isUsualPort = port == 22
        let names = isUsualPort ? [bare] : ["[\(bare)]:\(port)", bare]
        name = names[0]
        var trusted: [Key] = []
        var revoked: Set<[UInt8]> = []
        for line in text.split(whereSeparator: \.isNewline) {
            guard let entry = KnownHostsEntry(line), entry.isOf(names) else { continue }
            switch entry.marker {
            case .none where Self.types.contains(entry.key.type): trusted.append(entry.key)
            case .revoked: revoked.insert(entry.key.bytes)
            case .none, .other: break
            }
        }
        self.revoked = revoked
        self.trusted = Self.types.flatMap { type in
            trusted.filter { $0.type == type && !revoked.contains($0.bytes) }
        }
    }

    /// Whether only RSA keys of the server are known.
    var hasOnlyRSA: Bool { !trusted.isEmpty && trusted.allSatisfy { $0.type == "ssh-rsa" } }

    /// The lines for libssh2, the preferred type first.
    var lines: String {
        trusted.map { "\(name) \($0.type) \(Data($0.bytes).base64EncodedString())\n" }.joined()
    }
}

/// A line of the file.
struct KnownHostsEntry {
    enum Marker: Hashable {
        case none, revoked
        /// `@cert-authority`, which libssh2 does not support, or a marker of a later version.
        case other
    }

    let marker: Marker
    let key: KnownHosts.Key
    private let patterns: String

    /// - Returns: nil for a comment, an empty line, or one that is no entry.
    init?(_ line: Substring) {
        var fields = line.split(whereSeparator: { $0 == " " || $0 == "\t" })[...]
        guard let first = fields.first, !first.hasPrefix("#") else { return nil }
        if first.hasPrefix("@") {
            marker = first == "@revoked" ? .revoked : .other
            fields = fields.dropFirst()
        } else {
            marker = .none
        }
        guard fields.count >= 3 else { return nil }
        let parts = fields.prefix(3).map(String.init)
        guard let bytes = Data(base64Encoded: parts[2]) else { return nil }
        patterns = parts[0]
        key = KnownHosts.Key(type: parts[1], bytes: Array(bytes))
    }

    /// Whether the line is of a server with one of these names.
    func isOf(_ names: [String]) -> Bool {
        if patterns.hasPrefix("|") { return names.contains { HashedHostName.matches(patterns, $0) } }
        var isOf = false
        for pattern in patterns.split(separator: ",") {
            let isNegated = pattern.hasPrefix("!")
            let wanted = Array((isNegated ? pattern.dropFirst() : pattern).lowercased().utf8)
            guard names.contains(where: { Self.matches(wanted[...], Array($0.lowercased().utf8)[...]) }) else {
                continue
            }
            // A negated pattern excludes the host, whatever else matches.
            if isNegated { return false }
            isOf = true
        }
        return isOf
    }

    /// Matches `*` and `?`.
    private static func matches(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
        // Positions to go on from: after the last star, and in the name for its next trial.
        var (pattern, name) = (pattern, name)
        var retry: (pattern: ArraySlice<UInt8>, name: ArraySlice<UInt8>)?
        while true {
            if let first = pattern.first, first == UInt8(ascii: "*") {
                pattern = pattern.dropFirst()
                retry = (pattern, name)
            } else if let first = pattern.first, let letter = name.first, first == UInt8(ascii: "?") || first == letter
            {
                (pattern, name) = (pattern.dropFirst(), name.dropFirst())
            } else if pattern.isEmpty && name.isEmpty {
                return true
            } else if let last = retry, !last.name.isEmpty {
                retry = (last.pattern, last.name.dropFirst())
                (pattern, name) = (last.pattern, last.name.dropFirst())
            } else {
                return false
            }
        }
    }
}
