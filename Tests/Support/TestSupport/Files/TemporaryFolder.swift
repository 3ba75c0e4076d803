import Glibc

/// A folder of one test's own, removed with its last reference.
public final class TemporaryFolder: Sendable {
    public let path: String

    public init() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        // mkdtemp(3) puts a name of its own in place of the six letters.
        let template = strdup("\(parent)/cormorant-tests-XXXXXX")
        defer { free(template) }
        guard let template, let made = mkdtemp(template) else { preconditionFailure("no temporary folder: \(errno)") }
        path = String(cString: made)
    }

    deinit {
        // What cannot be removed stays there; no claim of a test depends on it.
        Self.removeFolder(path)
    }

    /// The path of something in it.
    public func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Makes a folder in it, and returns its path.
    @discardableResult
    public func makeFolder(_ name: String, mode: UInt32 = 0o700) -> String {
        precondition(mkdir(self(name), mode_t(mode)) == 0, "no folder \(name): \(errno)")
        return self(name)
    }

    /// Makes a symbolic link in it.
    public func link(_ name: String, to target: String) {
        precondition(symlink(target, self(name)) == 0, "no link \(name): \(errno)")
    }

    /// Gives a file in it a second name.
    public func hardLink(_ name: String, to existing: String) {
        precondition(Glibc.link(self(existing), self(name)) == 0, "no second name \(name): \(errno)")
    }

    private static func removeFolder(_ path: String) {
        chmod(path, 0o700)
        for name in names(in: path) where unlink("\(path)/\(name)") != 0 { removeFolder("\(path)/\(name)") }
        rmdir(path)
    }

    private static func names(in path: String) -> [String] {
        guard let listing = opendir(path) else { return [] }
        defer { closedir(listing) }
        var names: [String] = []
        while let entry = readdir(listing) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

extension TemporaryFolder {
    /// Makes a file in it, or replaces what one holds.
    public func write(_ text: String, to name: String) { write(Array(text.utf8), to: name) }

    /// Makes a file in it, or replaces what one holds.
    public func write(_ bytes: [UInt8], to name: String) {
        let descriptor = open(self(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(0o600))
        precondition(descriptor >= 0, "no file \(name): \(errno)")
        defer { close(descriptor) }
        var bytes = bytes[...]
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

    /// Cuts a file in it off.
    public func truncate(_ name: String, to size: Int64) {
        precondition(Glibc.truncate(self(name), off_t(size)) == 0, "cannot truncate \(name): \(errno)")
    }

    /// The names in a folder in it, in order.
    public func names(in name: String) -> [String] { Self.names(in: self(name)).sorted() }

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
