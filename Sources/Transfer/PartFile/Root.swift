public import Core
import Linux
import Synchronization
import TransferRules

/// A folder, configured by the operator, below which finished files are placed.
public struct Root: Sendable {
    public let name: RootName
    /// The folders; nil if they were not available at the start.
    let folders: Folders?
    /// Opens the folders. Blocks. It is called for a download that needs them, while they are not open.
    let open: @Sendable () throws(RootUnavailable) -> Folders
    /// Whether the path of the root still leads to these folders; nil if they stay open for the whole process. Blocks.
    ///
    /// It does not after the disk was unmounted or the folder was renamed, though the open folders still work.
    let isCurrent: (@Sendable (Folders) -> Bool)?

    public init(
        _ name: RootName,
        folders: Folders?,
        isCurrent: (@Sendable (Folders) -> Bool)?,
        open: @escaping @Sendable () throws(RootUnavailable) -> Folders
    ) {
        (self.name, self.folders, self.isCurrent, self.open) = (name, folders, isCurrent, open)
    }

    /// The words for what its file system cannot do; nil if that is not known.
    public var unsupported: [String]? { folders?.abilities?.missing }

    /// A root whose folders stay open.
    public init(_ name: RootName, _ folders: Folders) {
        self.init(name, folders: folders, isCurrent: nil) { () throws(RootUnavailable) in folders }
    }
}

/// Why the folders of a root cannot be used now.
public struct RootUnavailable: Error, Hashable, Sendable, CustomStringConvertible {
    public let root: RootName
    /// What is wrong, and what to do.
    public let reason: String

    public init(_ root: RootName, _ reason: String) {
        (self.root, self.reason) = (root, reason)
    }

    /// A sentence for people.
    public var message: String { "\(root) is not available: \(reason)." }

    public var description: String { message }

    /// The download waits, as for a disk that fails: nothing is fetched into another place.
    var failure: TransferFailure {
        TransferFailure(DownloadError(.rootUnavailable, message: message))
    }

    /// The failure of a call on a file below the root: `ENODEV`.
    var systemError: SystemError { SystemError(code: 19, call: "open the root") }
}

/// The disks of the roots. Each root has its own folders and its own free space.
final class Disks: Sendable {
    private let roots: [RootName: Root]
    private let make: @Sendable (Root, Folders) -> Disk
    private let open: Mutex<[RootName: Disk]>
    /// One task at a time opens a root.
    private let openings = FilePathLocks()
    let pool: BlockingPool

    init(_ roots: [Root], pool: BlockingPool, make: @escaping @Sendable (Root, Folders) -> Disk) {
        self.roots = Dictionary(roots.map { ($0.name, $0) }) { first, _ in first }
        self.pool = pool
        self.make = make
        let open = roots.compactMap { root in root.folders.map { (root.name, make(root, $0)) } }
        self.open = Mutex(Dictionary(open) { first, _ in first })
    }

    /// The open disks, by root.
    var all: [RootName: Disk] { open.withLock { $0 } }

    var names: [RootName] { roots.keys.sorted() }

    /// The disk of a root, if it is open.
    subscript(name: RootName) -> Disk? { open.withLock { $0[name] } }

    /// The disk of a root. A root that was not available is opened again.
    func disk(_ name: RootName) async throws(RootUnavailable) -> Disk {
        if let disk = self[name] { return disk }
        guard let root = roots[name] else {
            throw RootUnavailable(name, "the settings do not have it; add it to the setting roots")
        }
        return try await openings.withLock(name.text) { () async throws(RootUnavailable) in
            if let disk = self[name] { return disk }
            let disk = make(root, try await opened(root))
            open.withLock { $0[name] = disk }
            return disk
        }
    }

    /// Forgets the folders of a disk that failed, so that the next use opens the root's path again.
    func close(_ disk: Disk) {
        guard disk.isCurrent != nil else { return }
        open.withLock { open in
            if open[disk.root] === disk { open[disk.root] = nil }
        }
    }

    /// Whether the root's path still leads to this disk. If not, the next use opens the path again. Blocks.
    func isCurrent(_ disk: Disk) -> Bool {
        guard let isCurrent = disk.isCurrent, !isCurrent(disk.folders) else { return true }
        close(disk)
        return false
    }

    private func opened(_ root: Root) async throws(RootUnavailable) -> Folders {
        let result = await pool.run { () -> Result<Folders, RootUnavailable> in
            Result { () throws(RootUnavailable) in try root.open() }
        }
        return try result.get()
    }
}
