/// A digest algorithm, by its name in the HTTP Digest registry (RFC 9530, section 7.2).
public enum DigestAlgorithm: String, CaseIterable, Hashable, Sendable {
    case sha256 = "sha-256"
    case sha512 = "sha-512"
    case sha1 = "sha-1"
    case md5

    public var byteCount: Int {
        switch self {
        case .sha256: 32
        case .sha512: 64
        case .sha1: 20
        case .md5: 16
        }
    }
}

/// The digest of a file's bytes.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
    public let algorithm: DigestAlgorithm
    public let bytes: [UInt8]

    /// - Precondition: `bytes` has the algorithm's length.
    public init(algorithm: DigestAlgorithm, bytes: [UInt8]) {
        precondition(bytes.count == algorithm.byteCount, "a \(algorithm.rawValue) digest of \(bytes.count) bytes")
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// The digest that `hex` spells, in either case, or nil where it does not.
    public init?(algorithm: DigestAlgorithm, hex: String) {
        guard let bytes = [UInt8](hexadecimal: hex), bytes.count == algorithm.byteCount else { return nil }
        self.algorithm = algorithm
        self.bytes = bytes
    }

    /// The bytes in lower-case hexadecimal.
    public var hex: String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(hexDigits[Int(byte >> 4)])
            text.append(hexDigits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// `sha-256=0a1b…`, as a list of them is stored.
    public var description: String { "\(algorithm.rawValue)=\(hex)" }

    /// The digest that `description` spells.
    public init?(_ description: String) {
        let parts = description.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let algorithm = DigestAlgorithm(rawValue: String(parts[0])) else { return nil }
        self.init(algorithm: algorithm, hex: String(parts[1]))
    }
}

private let hexDigits = Array("0123456789abcdef".utf8)
