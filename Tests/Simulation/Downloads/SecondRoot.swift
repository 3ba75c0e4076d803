import Application
import Core
import Foundation
import Glibc
import Linux
import Transfer

/// A root whose disk is not mounted now and then.
enum SecondRoot {
    static let name: RootName = {
        guard let name = RootName("media") else { preconditionFailure("the name is one") }
        return name
    }()

    /// The folders of a process that it needs.
    static func prepare(_ folder: String) {
        for path in [path(in: folder), records(in: folder)] { mkdir(path, 0o700) }
    }

    /// Opens it as the program does.
    ///
    /// - Parameter folder: The folder of the process.
    static func open(in folder: String) throws -> Root {
        let root = RootFolder(
            name: name,
            path: path(in: folder),
            records: try Directory(path: records(in: folder)),
            recordsPath: records(in: folder),
            access: AccessAttributes(permissions: 0o600),
            registry: RootRegistry(data: "\(folder)/parts")
        )
        do {
            return root.root(opened: try root.open())
        } catch {
            World.current.note("the second root: \(error)")
            return root.root(opened: nil)
        }
    }

    static func path(in folder: String) -> String { "\(folder)/media" }

    private static func records(in folder: String) -> String { "\(folder)/roots" }

    /// Puts an empty folder in its place, as the mount point of a disk is; but not before its first use.
    ///
    /// - Parameter kept: Where it is until ``mount(in:from:)``.
    static func unmount(in folder: String, to kept: String) {
        guard access("\(records(in: folder))/\(name.text)", F_OK) == 0 else { return }
        World.current.count("a root is away")
        World.current.note("the second root is away")
        rename(path(in: folder), kept)
        mkdir(path(in: folder), 0o700)
    }

    /// Puts it back, if it is away.
    ///
    /// - Returns: The names of what was written in its place.
    static func mount(in folder: String, from kept: String) -> [String] {
        guard access(kept, F_OK) == 0 else { return [] }
        let written = (try? FileManager.default.contentsOfDirectory(atPath: path(in: folder))) ?? []
        Disk.remove(path(in: folder))
        rename(kept, path(in: folder))
        return written.sorted()
    }
}
