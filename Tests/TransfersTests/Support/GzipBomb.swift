/// A gzip file (RFC 1952) that decodes to many zeros: one block of fixed codes (RFC 1951, section 3.2.6), in which each
/// thirteen bits stand for 258 bytes.
struct GzipBomb {
    let bytes: [UInt8]

    /// - Parameter byteCount: At least so many zeros come of it. Its checksum is missing, for nobody comes as far.
    init(byteCount: Int) {
        var writer = BitWriter(bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
        // The last block, of fixed codes.
        writer.write([1, 1, 0])
        // A zero: the first of the codes of eight bits.
        writer.write([0, 0, 1, 1, 0, 0, 0, 0])
        for _ in 0...(byteCount / 258) {
            // The length 258 is symbol 285, the distance 1 is code 0.
            writer.write([1, 1, 0, 0, 0, 1, 0, 1])
            writer.write([0, 0, 0, 0, 0])
        }
        // The end of the block.
        writer.write([0, 0, 0, 0, 0, 0, 0])
        bytes = writer.bytes
    }

    private struct BitWriter {
        var bytes: [UInt8]
        private var count = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        /// Fills each byte from its lowest bit on; a code begins with its highest.
        mutating func write(_ bits: [UInt8]) {
            for bit in bits {
                if count % 8 == 0 { bytes.append(0) }
                bytes[bytes.count - 1] |= bit << (count % 8)
                count += 1
            }
        }
    }
}
