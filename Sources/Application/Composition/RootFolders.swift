import Core
import Linux
import Synchronization
import Transfer

/// The folders of the roots: opened, checked and locked.
struct RootFolders {
    let list: [Root]
    /// The roots that cannot be used now, with the reason.
    let unavailable: [(root: RootFolder, reason: String)]
    private let registry: RootRegistry

    /// - Parameters:
    ///   - data: The data folder.
    ///   - own: The folders inside the data folder; nil if the settings name another folder for downloads.
    /// - Throws: ``CommandFailure`` if the settings cannot be right.
    init(_ settings: Settings, data: Directory, dataPath: String, own: Folders?) throws {
        let registry = RootRegistry(data: try data.currentPath())
        var list: [Root] = []
        var unavailable: [(RootFolder, String)] = []
        if let own {
            list.append(Root(.downloads, own))
            try registry.add(own.downloads, of: .downloads)
        }
        var named = settings.roots.map { (name: $0.name, path: $0.path) }
        if let path = settings.downloadsDirectory { named.insert((.downloads, path), at: 0) }
        for (name, path) in named {
            let folder = RootFolder(
                name: name,
                path: path,
                records: try data.openDirectory(relative: RootFolder.records, creating: true),
                recordsPath: "\(dataPath)/\(RootFolder.records)",
                access: AccessAttributes(permissions: 0o600, group: settings.fileGroup?.number),
                registry: registry
            )
            do throws(RootFault) {
                let opened = try folder.open()
                list.append(folder.root(opened: opened))
            } catch {
                switch error {
                // One disk that cannot be used does not keep the others from being used. Settings that contradict each
                // other, and the folder of all other downloads, are errors.
                case .refused(let status, let reason) where status == .config || name == .downloads:
                    throw CommandFailure(status, "\(folder.title) ('\(path)') \(reason)")
                case .refused(_, let reason), .unavailable(let reason):
                    unavailable.append((folder, reason))
                    list.append(folder.root(opened: nil))
                }
            }
        }
        (self.list, self.unavailable, self.registry) = (list, unavailable, registry)
    }

    /// Releases the locks.
    func release() { registry.release() }
}

/// Why a root cannot be opened. The reason has neither its name nor its path in front.
package enum RootFault: Error {
    /// The settings are wrong.
    case refused(ExitStatus, String)
    /// It was used before, and is not there now.
    case unavailable(String)

    var reason: String {
        switch self {
        case .refused(_, let reason), .unavailable(let reason): reason
        }
    }
}

/// The open roots and their locks.
package final class RootRegistry: Sendable {
    private struct Entry {
        let name: RootName
        let path: String
        let identity: Linux.FileIdentity
    }

    /// The path of the data folder.
    private let data: String
    private let entries = Mutex<[Entry]>([])
    private let locks = Mutex<[RootName: FileLock]>([:])

    package init(data: String) { self.data = data }

    /// Records an open folder. Refuses one that shares files with another root or with the data folder.
    func add(_ folder: Directory, of name: RootName) throws(RootFault) {
        let path: String
        do throws(SystemError) {
            path = try folder.currentPath()
        } catch {
            throw .unavailable("has no path: \(error.message)")
        }
        if Self.contains(path, data) {
            throw .refused(.config, "contains the data folder; name another folder")
        }
        if Self.contains(data, path), !Self.contains("\(data)/downloads", path) {
            throw .refused(.config, "lies inside the data folder; name another folder")
        }
        let entry = Entry(name: name, path: path, identity: folder.identity)
        let other = entries.withLock { entries -> Entry? in
            let other = entries.first { other in
                other.identity == entry.identity || Self.contains(other.path, path) || Self.contains(path, other.path)
            }
            if other == nil { entries.append(entry) }
            return other
        }
        guard let other else { return }
        let relation =
            other.identity == entry.identity ? "is the same folder as" : "and another root lie inside each other:"
        throw .refused(.config, "\(relation) \(RootFolder.title(of: other.name)); name another folder")
    }

    func remove(_ name: RootName) {
        entries.withLock { $0.removeAll { $0.name == name } }
        locks.withLock { $0.removeValue(forKey: name) }?.release()
    }

    func keep(_ lock: FileLock, of name: RootName) { locks.withLock { $0[name] = lock } }

    func release() {
        for lock in locks.withLock({ $0.values }) { lock.release() }
    }

    /// Whether a path is a folder or lies inside it.
    private static func contains(_ folder: String, _ path: String) -> Bool {
        path == folder || path.hasPrefix(folder == "/" ? "/" : "\(folder)/")
    }
}
