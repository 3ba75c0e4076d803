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
