import Glibc

/// A folder whose file system encrypts names, so that they have 175 bytes at most, though it reports 255. It is gone
/// once nothing refers to it.
public final class EncryptedFolder: Sendable {
    /// Where it is mounted.
    public let folder = TemporaryFolder()
    private let path: String
    private let store = TemporaryFolder()

    public static let longestName = 175

    /// Whether this process may mount one, and has the program for it.
    public static let isAllowed = (try? EncryptedFolder()) != nil

    /// Why a test of one was left out.
    public static let reason = "an encrypted folder needs FUSE and the package gocryptfs"

    public struct NotMounted: Error {}

    /// - Parameter path: The folder over which it is mounted; nil for ``folder``.
    public init(at path: String? = nil) throws {
        self.path = path ?? folder.path
        store.write("password\n", to: "password")
        store.makeFolder("names")
        let options = "-q -longnames=false -passfile \(store("password"))"
        try run("gocryptfs \(options) -init -scryptn 10 \(store("names"))")
        try run("gocryptfs \(options) \(store("names")) \(self.path)")
    }

    private func run(_ command: String) throws {
        guard system("\(command) >\(store("log")) 2>&1") == 0 else { throw NotMounted() }
    }

    deinit { umount2(path, CInt(MNT_DETACH)) }
}
