import Glibc

extension File {
    /// Writes all of `bytes`, beginning at `offset`.
    ///
    /// - Throws: After some of the bytes were written, when the device fills up meanwhile.
    public func write(_ bytes: RawSpan, at offset: Int64) throws(SystemError) {
        try bytes.withUnsafeBytes { (buffer) throws(SystemError) in
            var done = 0
            while done < buffer.count {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[done...])
                let count = try descriptor.use("pwrite") {
                    pwrite($0, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
                }
                // A write that takes nothing and gives no reason would loop for ever; a full device is its cause.
                if count == 0 { throw SystemError(code: ENOSPC, call: "pwrite") }
                done += count
            }
        }
    }

    /// Writes all of `bytes`, beginning at `offset`; otherwise as ``write(_:at:)-(RawSpan,_)``.
    public func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        try write(bytes.span.bytes, at: offset)
    }

    /// Fills `bytes` from `offset` on.
    ///
    /// - Returns: How many bytes were read; fewer than asked for at the end of the file only.
    public func read(into bytes: inout MutableRawSpan, at offset: Int64) throws(SystemError) -> Int {
        try bytes.withUnsafeMutableBytes { (buffer) throws(SystemError) in
            try fill(buffer, at: offset)
        }
    }

    /// Fills `bytes` from `offset` on; otherwise as ``read(into:at:)-(MutableRawSpan,_)``.
    public func read(into bytes: inout [UInt8], at offset: Int64) throws(SystemError) -> Int {
        var span = bytes.mutableSpan
        var raw = span.mutableBytes
        return try read(into: &raw, at: offset)
    }

    /// Reads from where the descriptor stands to the end, which pipes allow too.
    ///
    /// - Throws: `EFBIG` when there are more than `limit` bytes.
    public func readToEnd(limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(limit + 1, 65_536))
        while true {
            let count = try descriptor.use("read") { number in
                buffer.withUnsafeMutableBytes { Glibc.read(number, $0.baseAddress, $0.count) }
            }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            if bytes.count > limit { throw SystemError(code: EFBIG, call: "read") }
        }
    }

    private func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SystemError) -> Int {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = try descriptor.use("pread") {
                pread($0, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            }
            if count == 0 { break }
            done += count
        }
        return done
    }
}
