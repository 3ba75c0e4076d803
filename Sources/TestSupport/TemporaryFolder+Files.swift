import Glibc

extension TemporaryFolder {
    /// Makes a file in it, or replaces what one holds.
    public func write(_ text: String, to name: String) {
        let descriptor = open(self(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(0o600))
        precondition(descriptor >= 0, "no file \(name): \(errno)")
        defer { close(descriptor) }
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            precondition(count > 0, "cannot write \(name): \(errno)")
            bytes = bytes.dropFirst(count)
        }
    }

    /// All bytes of a file in it; none where there is no such file.
    public func read(_ name: String) -> [UInt8] {
        let descriptor = open(self(name), O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while true {
            let piece = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
                count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            if piece.isEmpty { return bytes }
            bytes += piece
        }
    }

    public func rename(_ name: String, to newName: String) {
        precondition(Glibc.rename(self(name), self(newName)) == 0, "cannot rename \(name): \(errno)")
    }

    /// Removes a file or an empty folder in it.
    public func remove(_ name: String) {
        precondition(Glibc.remove(self(name)) == 0, "cannot remove \(name): \(errno)")
    }

    /// Sets when a file in it changed last, in nanoseconds since 1970-01-01 UTC.
    public func touch(_ name: String, nanoseconds: Int64) {
        let (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: Int(seconds), tv_nsec: Int(rest))
        precondition(utimensat(AT_FDCWD, self(name), [time, time], 0) == 0, "no time of \(name): \(errno)")
    }
}
