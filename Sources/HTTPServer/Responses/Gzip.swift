import CZlib

/// Compression with the content coding gzip (RFC 9110, section 8.4.1.3).
public enum Gzip {
    /// The fastest level. It compresses pages of JSON to less than a tenth (docs/decisions/0047).
    private static let level: Int32 = 1

    /// The compressed bytes; nil if there is no memory, or if they would not be shorter.
    public static func compress(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        guard shim_gzip_init(&stream, level) == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        let compressed = bytes.withUnsafeBufferPointer { input in
            [UInt8](unsafeUninitializedCapacity: bytes.count) { output, count in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(clamping: input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(clamping: output.count)
                let isComplete = deflate(&stream, Z_FINISH) == Z_STREAM_END
                count = isComplete ? output.count - Int(stream.avail_out) : 0
            }
        }
        return compressed.isEmpty || compressed.count >= bytes.count ? nil : compressed
    }
}
