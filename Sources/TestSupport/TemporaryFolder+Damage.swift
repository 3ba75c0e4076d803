import Glibc

extension TemporaryFolder {
    /// Turns every bit of one byte of a file in it, as a disk may that grows old.
    public func damage(_ name: String, at offset: Int64) {
        overwrite(name, at: offset) { $0.map { ~$0 } }
    }

    /// Puts zeros where bytes of a file in it are, as the loss of power may.
    public func zero(_ name: String, in range: Range<Int64>) {
        overwrite(name, at: range.lowerBound, count: range.count) { $0.map { _ in 0 } }
    }

    private func overwrite(_ name: String, at offset: Int64, count: Int = 1, _ change: ([UInt8]) -> [UInt8]) {
        let descriptor = open(self(name), O_RDWR | O_CLOEXEC)
        precondition(descriptor >= 0, "no file \(name): \(errno)")
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: count)
        precondition(pread(descriptor, &bytes, count, off_t(offset)) == count, "\(name) is too short")
        bytes = change(bytes)
        precondition(pwrite(descriptor, bytes, count, off_t(offset)) == count, "cannot write \(name): \(errno)")
    }
}
