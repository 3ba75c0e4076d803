public import Linux

/// The body of an upload, with a known length: bytes in memory, or a range of a file.
///
/// A range is read while it is sent, at most 64 KiB at a time, and is never in memory as a whole. The reads are made on
/// the loop's thread, between other transfers. The range should therefore be in the page cache, as it is right after
/// it was written; a read from a slow disk delays the other transfers of the loop.
///
/// The body keeps its file open. Do not close the file, and do not change the range, before the transfer has ended. A
/// file that is shorter than the range fails the transfer with `uploadTruncated`; changed bytes are sent as they are
/// when they are read.
public struct UploadBody: Sendable {
    private enum Source: Sendable {
        case bytes([UInt8])
        case file(File, offset: Int64)
    }

    private let source: Source
    /// The number of bytes.
    public let count: Int64

    public init(bytes: [UInt8]) {
        source = .bytes(bytes)
        count = Int64(bytes.count)
    }

    /// - Parameter range: The offsets of the bytes in the file.
    public init(file: File, range: Range<Int64>) {
        source = .file(file, offset: range.lowerBound)
        count = Int64(range.count)
    }

    /// Reads bytes of the body.
    ///
    /// - Parameter position: The offset in the body, within it.
    /// - Returns: How many bytes were read; fewer than fit only at the end of the body or of its file.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(SystemError) -> Int {
        let wanted = Int(min(Int64(buffer.count), count - position))
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(wanted))
        switch source {
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                piece.copyMemory(from: .init(rebasing: $0.dropFirst(Int(position)).prefix(wanted)))
            }
            return wanted
        case .file(let file, let offset):
            var span = piece.mutableBytes
            return try file.read(into: &span, at: offset + position)
        }
    }
}

extension UploadBody: Hashable {
    /// Whether the bytes, or the file and the range, are the same. A file is the same only as an object.
    public static func == (lhs: UploadBody, rhs: UploadBody) -> Bool {
        switch (lhs.source, rhs.source) {
        case (.bytes(let mine), .bytes(let others)): mine == others
        case (.file(let mine, let myOffset), .file(let other, let otherOffset)):
            mine === other && myOffset == otherOffset && lhs.count == rhs.count
        case (.bytes, .file), (.file, .bytes): false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
    }
}
