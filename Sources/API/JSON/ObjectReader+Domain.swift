import Core
import HTTPFields
import Service
import TransferRules

/// Members with types of the domain.
extension ObjectReader {
    /// The URL of a download.
    mutating func givenURL(_ name: String) -> GivenURL? {
        present(name)?.located(GivenURL.init(parsing:at:))
    }

    mutating func instant(_ name: String) -> Timestamp? { read(name, .instant) }

    /// The member `proxy`.
    mutating func proxy() -> ProxyChoice? {
        let expected = "none, or http, https, socks5 or socks5h://[user[:password]@]host:port"
        return present("proxy")?.parsed(ProxyChoice.init, expected: expected)
    }

    /// The member `labels` or `metadata`.
    mutating func clientObject(_ kind: ClientObject) -> JSONText? { clientObject(kind.rawValue, kind) }

    mutating func clientObject(_ name: String, _ kind: ClientObject) -> JSONText? {
        guard let value = present(name), let members = value.members() else { return nil }
        return kind.text(of: members, value)
    }
}

/// The member `expected`.
extension ObjectReader {
    mutating func expected() -> Expected {
        object("expected") { reader in
            let size = reader.read("size_bytes", Self.size)
            let digests = reader.object("digests") { hexes in
                DigestAlgorithm.allCases.compactMap { hexes.digest($0) }
            }
            return Expected(sizeBytes: size, digests: digests ?? [], mediaType: reader.mediaType())
        } ?? Expected()
    }

    /// An absent member keeps its value, null clears it.
    mutating func expectedPatch() -> ExpectedPatch? {
        if isNull("expected") { return .clear }
        return object("expected") { reader in
            var patch = ExpectedPatch()
            patch.sizeBytes = reader.change("size_bytes", Self.size)
            if reader.isNull("digests") {
                patch.removesOtherDigests = true
            } else {
                let digests = reader.object("digests") { hexes in
                    var changes: [DigestAlgorithm: DownloadEdit.Change<Digest>] = [:]
                    for algorithm in DigestAlgorithm.allCases {
                        changes[algorithm] = hexes.change(algorithm.rawValue) { $0.digest(algorithm) }
                    }
                    return changes
                }
                patch.digests = digests ?? [:]
            }
            patch.mediaType = reader.change("content_type") { $0.mediaType() }
            return patch
        }
    }

    private static let size = JSONFormat<Int64>.integer(0...JSONValue.maximumInteger)

    private mutating func mediaType() -> MediaType? {
        present("content_type")?.parsed(
            { $0.utf8.count <= 255 ? MediaType($0) : nil },
            expected: "a media type such as application/zip"
        )
    }

    private mutating func digest(_ algorithm: DigestAlgorithm) -> Digest? {
        present(algorithm.rawValue)?.parsed(
            { Digest(algorithm: algorithm, hex: $0) },
            expected: "\(algorithm.byteCount * 2) hexadecimal digits"
        )
    }
}
