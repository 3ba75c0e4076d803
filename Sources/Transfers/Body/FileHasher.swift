import Crypto
import Model

/// A digest in the making.
enum FileHasher: Sendable {
    case sha256(SHA256)
    case sha512(SHA512)
    case sha1(Insecure.SHA1)
    case md5(Insecure.MD5)

    init(_ algorithm: DigestAlgorithm) {
        switch algorithm {
        case .sha256: self = .sha256(SHA256())
        case .sha512: self = .sha512(SHA512())
        case .sha1: self = .sha1(Insecure.SHA1())
        case .md5: self = .md5(Insecure.MD5())
        }
    }

    mutating func update(_ bytes: ArraySlice<UInt8>) {
        switch self {
        case .sha256(var hash):
            hash.update(data: bytes)
            self = .sha256(hash)
        case .sha512(var hash):
            hash.update(data: bytes)
            self = .sha512(hash)
        case .sha1(var hash):
            hash.update(data: bytes)
            self = .sha1(hash)
        case .md5(var hash):
            hash.update(data: bytes)
            self = .md5(hash)
        }
    }

    /// The digest of what was taken in so far.
    var digest: Model.Digest {
        switch self {
        case .sha256(let hash): Digest(algorithm: .sha256, bytes: Array(hash.finalize()))
        case .sha512(let hash): Digest(algorithm: .sha512, bytes: Array(hash.finalize()))
        case .sha1(let hash): Digest(algorithm: .sha1, bytes: Array(hash.finalize()))
        case .md5(let hash): Digest(algorithm: .md5, bytes: Array(hash.finalize()))
        }
    }
}
