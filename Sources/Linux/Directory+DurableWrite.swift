import Glibc

extension Directory {
    /// Makes a small file appear whole and durable, or not at all.
    ///
    /// It is written under another name, synchronised, renamed, and its folder synchronised. A crash may leave that
    /// other name behind, which is `.<name>.tmp`; the next write of the same file removes it.
    ///
    /// - Precondition: The files of one name are written one after the other.
    /// - Parameters:
    ///   - mode: The permissions, exactly.
    ///   - replacing: Whether a file of that name gives way; otherwise ``SystemError/isExists`` is thrown.
    public func writeDurably(
        _ bytes: [UInt8],
        named name: String,
        mode: UInt32 = 0o600,
        replacing: Bool
    ) throws(SystemError) {
        let temporary = ".\(name).tmp"
        do {
            try remove(temporary)
            let file = try openFile(named: temporary, access: .create, mode: 0o600)
            try file.setPermissions(mode)
            try file.write(bytes, at: 0)
            try file.synchronize()
            try file.close()
            try rename(temporary, to: self, name, replacing: replacing)
        } catch {
            // What went wrong first is what the caller has to know.
            _ = try? remove(temporary)
            throw error
        }
        try synchronize()
    }
}
