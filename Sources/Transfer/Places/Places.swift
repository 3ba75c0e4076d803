import Core
import Linux
import Synchronization

/// The places of the roots. Each root has its own files and its own free space.
final class Places: Sendable {
    private let roots: [RootName: Root]
    private let context: PlaceContext
    private let open: Mutex<[RootName: any FinishedFiles]>
    /// One task at a time opens a root.
    private let openings = FilePathLocks()

    init(_ roots: [Root], _ context: PlaceContext) {
        self.roots = Dictionary(roots.map { ($0.name, $0) }) { first, _ in first }
        self.context = context
        let open = roots.compactMap { root in root.opened.map { (root.name, $0(context)) } }
        self.open = Mutex(Dictionary(open) { first, _ in first })
    }

    /// The files of the open roots.
    var all: [RootName: any FinishedFiles] { open.withLock { $0 } }

    var names: [RootName] { roots.keys.sorted() }

    /// The files of a root, if it is open.
    subscript(name: RootName) -> (any FinishedFiles)? { open.withLock { $0[name] } }

    /// The files of a root. A root that was not available is opened again.
    func files(of name: RootName) async throws(RootUnavailable) -> any FinishedFiles {
        if let files = self[name] { return files }
        guard let root = roots[name] else {
            throw RootUnavailable(name, "the settings do not have it; add it to the setting roots")
        }
        return try await openings.withLock(name.text) { () async throws(RootUnavailable) in
            if let files = self[name] { return files }
            let files = try await opened(root)
            open.withLock { $0[name] = files }
            return files
        }
    }

    /// Forgets the files of a root that failed, so that the next use opens it again.
    func close(_ files: any FinishedFiles) {
        guard files.canReopen else { return }
        open.withLock { open in
            if open[files.root] === files { open[files.root] = nil }
        }
    }

    /// Whether the root's address still leads to these files. If not, the next use opens it again. Blocks.
    func isCurrent(_ files: any FinishedFiles) -> Bool {
        if files.isCurrent() { return true }
        close(files)
        return false
    }

    private func opened(_ root: Root) async throws(RootUnavailable) -> any FinishedFiles {
        let result = await context.pool.run { [context] () -> Result<any FinishedFiles, RootUnavailable> in
            Result { () throws(RootUnavailable) in try root.open(context) }
        }
        return try result.get()
    }
}
