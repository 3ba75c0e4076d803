import CLinux
import Glibc

@testable import Linux

/// A folder of one test's own, removed with the last reference.
final class TemporaryFolder: Sendable {
    let path: String
    let directory: Directory

    init() throws {
        path = "/tmp/linux-tests-" + (try RandomBytes.hexadecimal(count: 8))
        try systemCall("mkdir") { [path] in mkdir(path, 0o700) }
        directory = try Directory(path: path)
    }

    deinit {
        // What cannot be removed stays in /tmp; no claim of a test depends on it.
        try? Self.empty(directory, at: path)
        rmdir(path)
    }

    private static func empty(_ directory: Directory, at path: String) throws {
        for name in try directory.entries() {
            guard try directory.information(of: name).kind == .directory else {
                try directory.remove(name)
                continue
            }
            try empty(directory.openDirectory(relative: name), at: "\(path)/\(name)")
            rmdir("\(path)/\(name)")
        }
    }

    /// The folder, opened for paths of which each is walked as given.
    func directory(by walk: PathWalk) throws(SystemError) -> Directory {
        try Directory(path: path, walk: walk)
    }

    func link(_ name: String, to target: String) throws {
        try systemCall("symlink") { symlink(target, "\(path)/\(name)") }
    }

    func write(_ text: String, to name: String) throws {
        let file = try directory.openFile(named: name, access: .createIfMissing)
        try file.truncate(to: 0)
        try file.write(Array(text.utf8), at: 0)
    }

    func text(of name: String) throws -> String {
        let file = try directory.openFile(named: name, access: .read)
        return String(decoding: try file.readToEnd(limit: 1 << 20), as: UTF8.self)
    }
}

/// The code of the error that `body` throws; nil when it throws none.
func code(of body: () throws(SystemError) -> Void) -> Int32? {
    do {
        try body()
        return nil
    } catch {
        return error.code
    }
}

/// Lets two names trade places in one step: `RENAME_EXCHANGE` of `rename(2)`.
func exchange(_ first: String, _ second: String) throws {
    let exchangeFlag: UInt32 = 1 << 1
    try systemCall("renameat2") { shim_renameat2(AT_FDCWD, first, AT_FDCWD, second, exchangeFlag) }
}
