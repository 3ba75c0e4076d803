import CZlib

extension ReceivedResponse {
    /// The body without its content coding; empty if it cannot be decoded.
    public var content: [UInt8] { self["content-encoding"] == "gzip" ? Self.decompress(body) : body }

    private static func decompress(_ bytes: [UInt8]) -> [UInt8] {
        var stream = z_stream()
        guard shim_gunzip_init(&stream) == Z_OK else { return [] }
        defer { inflateEnd(&stream) }
        var content: [UInt8] = []
        let isComplete = bytes.withUnsafeBufferPointer { input in
            stream.next_in = input.baseAddress
            stream.avail_in = UInt32(input.count)
            while true {
                var status = Z_OK
                content += [UInt8](unsafeUninitializedCapacity: 64 << 10) { output, count in
                    stream.next_out = output.baseAddress
                    stream.avail_out = UInt32(output.count)
                    status = inflate(&stream, Z_NO_FLUSH)
                    count = output.count - Int(stream.avail_out)
                }
                if status != Z_OK { return status == Z_STREAM_END && stream.avail_in == 0 }
            }
        }
        return isComplete ? content : []
    }
}
