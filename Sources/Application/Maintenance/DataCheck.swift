import Core
import HTTPFields
import Linux
import Store
import Transfer

/// A check of a data folder, of a running service or a stopped one: the database, its records, and whether the file of
/// each completed download is there with its size. Nothing is changed.
public struct DataCheck: Sendable {
    /// The number of downloads in the database.
    public private(set) var downloads = 0
    /// The files that were found with their size.
    public private(set) var files = 0
    public private(set) var bytes: Int64 = 0
    /// The files whose removal the service has noticed already. They are no fault.
    public private(set) var removed = 0
    public private(set) var faults = 0

    /// - Parameters:
    ///   - comparesDigests: Whether each file is read and compared with its recorded digests.
    ///   - report: Called with a sentence for each fault.
    /// - Throws: ``CommandFailure`` if there is no database or it cannot be read, or the error of `report`.
    public init(
        of resolved: ResolvedSettings,
        comparesDigests: Bool,
        report: (String) throws -> Void
    ) throws {
        let source = try DataFile(resolved.settings)
        do {
            try checkDatabase(source, report)
            var folders = CheckedFolders(resolved.settings)
            var position: Int64?
            repeat {
                let page = try source.data.downloads(after: position)
                downloads += page.downloads.count + page.unreadable.count
                for row in page.unreadable {
                    try add("the record of \(row.id) cannot be read: \(row.reason)", report)
                }
                for download in page.downloads {
                    try check(download, source, &folders, comparesDigests, report)
                }
                position = page.next
            } while position != nil
        } catch let error as StoreError {
            throw CommandFailure(reading: source.folder, error)
        }
    }

    private mutating func checkDatabase(_ source: DataFile, _ report: (String) throws -> Void) throws {
        for fault in try source.data.faults() { try add("the database: \(fault)", report) }
    }

    private mutating func check(
        _ download: Download,
        _ source: DataFile,
        _ folders: inout CheckedFolders,
        _ comparesDigests: Bool,
        _ report: (String) throws -> Void
    ) throws {
        guard download.state == .completed, let file = download.file, file.expiredAt == nil else { return }
        guard !file.isMissing else {
            removed += 1
            return
        }
        guard let folder = try folders.folder(file.root, { try add($0, report) }) else { return }
        guard let fault = folder.fault(of: file, comparesDigests) else {
            files += 1
            bytes += file.sizeBytes
            return
        }
        // A running service may have moved, deleted or replaced the file since its record was read.
        if try source.data.current(download) != nil {
            try add("\(folder.path)/\(file.path) (\(download.id)): \(fault)", report)
        }
    }

    private mutating func add(_ fault: String, _ report: (String) throws -> Void) throws {
        faults += 1
        try report(fault)
    }
}

/// The folders of finished files. One that cannot be opened is reported once.
private struct CheckedFolders {
    private let paths: [RootName: String]
    private var opened: [RootName: CheckedFolder?] = [:]

    init(_ settings: Settings) {
        var paths = Dictionary(settings.roots.map { ($0.name, $0.path) }) { first, _ in first }
        paths[.downloads] = settings.downloadsDirectory ?? "\(settings.dataDirectory)/downloads"
        self.paths = paths
    }

    mutating func folder(_ root: RootName, _ report: (String) throws -> Void) throws -> CheckedFolder? {
        if let known = opened[root] { return known }
        let folder: CheckedFolder?
        do {
            folder = try open(root)
        } catch {
            folder = nil
            try report("\(error.reason); its files are not checked")
        }
        opened[root] = .some(folder)
        return folder
    }

    private struct Fault: Error {
        let reason: String
    }

    private func open(_ root: RootName) throws(Fault) -> CheckedFolder {
        guard let path = paths[root] else {
            throw Fault(reason: "\(RootFolder.title(of: root)) is not in the settings")
        }
        do throws(SystemError) {
            return CheckedFolder(path: path, directory: try Directory(path: path))
        } catch {
            throw Fault(reason: "the folder '\(path)' cannot be opened: \(error.message)")
        }
    }
}

/// An open folder of finished files.
private struct CheckedFolder {
    let path: String
    let directory: Directory

    /// What is wrong with a finished file; nil if nothing is.
    func fault(of file: PublishedFile, _ comparesDigests: Bool) -> String? {
        guard let fault = fault(of: file, at: file.path, comparesDigests) else { return nil }
        // A requested move may have reached the new path.
        if let path = file.movingTo, self.fault(of: file, at: path, comparesDigests) == nil { return nil }
        return fault
    }

    private func fault(of file: PublishedFile, at path: String, _ comparesDigests: Bool) -> String? {
        do throws(SystemError) {
            let opened = try directory.openFile(relative: path)
            let size = try opened.information().size
            guard size == file.sizeBytes else { return "has \(size) bytes, not \(file.sizeBytes)" }
            guard comparesDigests, !file.digests.isEmpty else { return nil }
            let found = try FileDigests.compute(of: opened, file.digests.map(\.algorithm))
            let pair = zip(file.digests, found).first { $0 != $1 }
            return pair.map { "has the \($0.algorithm.rawValue) \($1.hex), not \($0.hex)" }
        } catch {
            return error.isUnreachable ? "is missing" : "cannot be read: \(error.message)"
        }
    }
}
