public import HTTPFields
public import Linux

/// Computes the digests of a whole file, on the caller's thread.
public enum FileDigests {
    private static let bufferBytes = 1 << 20

    /// Reads the file once, for all algorithms together.
    public static func compute(
        of file: File,
        _ algorithms: [DigestAlgorithm]
    ) throws(SystemError) -> [Digest] {
        var hashers = algorithms.map(FileHasher.init)
        var buffer = [UInt8](repeating: 0, count: bufferBytes)
        var offset: Int64 = 0
        while true {
            let count = try file.read(into: &buffer, at: offset)
            for index in hashers.indices { hashers[index].update(buffer[..<count]) }
            offset += Int64(count)
            if count < buffer.count { return hashers.map(\.digest) }
        }
    }
}
