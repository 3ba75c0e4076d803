public import Core
import Glibc

/// The bytes of an object of any size, computed where they are asked for and kept nowhere.
///
/// The same seed, version and offset give the same byte, so a file of 10 GB can be checked without a second one.
public struct Content: Hashable, Sendable {
    public let seed: UInt64
    public let version: Int
    public let size: Int64

    public init(seed: UInt64 = 1, version: Int = 0, size: Int64) {
        self.seed = seed
        self.version = version
        self.size = size
    }

    /// The same object after it was changed at the origin.
    public func at(version: Int) -> Content {
        Content(seed: seed, version: version, size: size)
    }

    /// The same object, longer or shorter.
    public func resized(to size: Int64) -> Content {
        Content(seed: seed, version: version, size: size)
    }

    public func bytes(in range: Range<Int64>) -> [UInt8] {
        precondition(range.lowerBound >= 0 && range.upperBound <= size, "outside the content")
        let firstWord = range.lowerBound / 8
        let lead = Int(range.lowerBound % 8)
        let wordCount = (lead + range.count + 7) / 8
        let words = [UInt64](unsafeUninitializedCapacity: wordCount) { buffer, count in
            for index in 0..<wordCount { buffer[index] = word(UInt64(firstWord) + UInt64(index)) }
            count = wordCount
        }
        return words.withUnsafeBytes { Array(UnsafeRawBufferPointer(rebasing: $0[lead..<lead + range.count])) }
    }

    public var allBytes: [UInt8] { bytes(in: 0..<size) }

    /// Whether the file at `path` holds exactly this content.
    public func matches(fileAt path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        var offset: Int64 = 0
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            guard count > 0 else { return count == 0 && offset == size }
            let end = offset + Int64(count)
            // Byte by byte in Swift takes a second for 20 MB without optimisation.
            guard end <= size, memcmp(bytes(in: offset..<end), buffer, count) == 0 else { return false }
            offset = end
        }
    }

    /// SplitMix64 at a position, which needs no word before it.
    private func word(_ index: UInt64) -> UInt64 {
        var value = seed &* 0xD134_2543_DE82_EF95 &+ UInt64(version) &* 0x2545_F491_4F6C_DD1D
        value &+= (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}

/// The validators that a well-kept origin would give it (RFC 9110, section 8.8).
extension Content {
    public var etag: String { "\"\(seed)-\(version)\"" }

    /// Long before ``Origin/date``, so that it counts as strong.
    public var lastModified: String {
        let second = version % 60
        return "Sun, 06 Nov 1994 08:49:\(second < 10 ? "0" : "")\(second) GMT"
    }
}

extension Content {
    /// What a good origin says of it, as a download keeps it.
    public func source(finalURL: DownloadURL? = nil) -> Download.Source {
        with(Download.Source()) {
            $0.finalURL = finalURL
            $0.httpVersion = "1.1"
            $0.status = 200
            $0.etag = etag
            $0.lastModified = lastModified
            $0.isLastModifiedStrong = true
            $0.contentType = "application/octet-stream"
        }
    }
}
