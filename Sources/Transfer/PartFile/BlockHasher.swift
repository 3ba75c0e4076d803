import Core
import Crypto
import HTTPFields
import Linux

/// Compares the bytes of a part file with their recorded digests.
struct BlockHasher: Sendable {
    let file: File
    let pool: BlockingPool

    private static let bufferBytes = 256 << 10
    /// The number of blocks read per job, so that a large file does not block a thread of the pool for long.
    private static let blocksPerJob = 8

    /// Returns the blocks whose bytes have changed or cannot be read. Writing an unreadable sector again repairs it.
    ///
    /// - Parameter onAdvance: Called with the number of compared bytes, first with 0 and then after each job.
    /// - Returns: nil if the task is cancelled, because reading a large file takes minutes.
    func damaged(
        among blocks: [BlockDigest],
        onAdvance: (Int64) -> Void = { _ in }
    ) async throws(SystemError) -> [BlockDigest]? {
        var damaged: [BlockDigest] = []
        var compared: Int64 = 0
        onAdvance(compared)
        var rest = blocks[...]
        while !rest.isEmpty {
            if Task.isCancelled { return nil }
            let job = rest.prefix(Self.blocksPerJob)
            rest = rest.dropFirst(Self.blocksPerJob)
            damaged += try await pool.run { () throws(SystemError) in try damagedNow(among: job) }
            for block in job { compared += Int64(block.range.count) }
            onAdvance(compared)
        }
        return damaged
    }

    private func damagedNow(among blocks: ArraySlice<BlockDigest>) throws(SystemError) -> [BlockDigest] {
        var buffer = [UInt8](repeating: 0, count: Self.bufferBytes)
        var damaged: [BlockDigest] = []
        for block in blocks {
            do throws(SystemError) {
                if try value(of: block.range, &buffer) != block.value { damaged.append(block) }
            } catch {
                guard error.isUnreadableRange else { throw error }
                damaged.append(block)
            }
        }
        return damaged
    }

    /// - Returns: nil if the file ends before `range` does.
    private func value(of range: Range<Int64>, _ buffer: inout [UInt8]) throws(SystemError) -> UInt64? {
        var hash = XXH64()
        var offset = range.lowerBound
        while offset < range.upperBound {
            let read = try file.read(into: &buffer, at: offset)
            guard read > 0 else { return nil }
            let count = Int(min(Int64(read), range.upperBound - offset))
            // `unsafe`: the array outlives the call.
            unsafe hash.update(buffer.span.bytes.extracting(first: count))
            offset += Int64(count)
        }
        return hash.value
    }
}

/// The state of an unfinished digest.
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

    /// The digest of all bytes so far.
    var digest: HTTPFields.Digest {
        switch self {
        case .sha256(let hash): Digest(algorithm: .sha256, bytes: Array(hash.finalize()))
        case .sha512(let hash): Digest(algorithm: .sha512, bytes: Array(hash.finalize()))
        case .sha1(let hash): Digest(algorithm: .sha1, bytes: Array(hash.finalize()))
        case .md5(let hash): Digest(algorithm: .md5, bytes: Array(hash.finalize()))
        }
    }
}
