public import Core
public import Linux
import Synchronization

/// The folders of files. Both are on one file system, so that a finished part is moved and not copied.
public struct Folders: Sendable {
    /// Finished files, in the sub-folders that clients name.
    public let downloads: Directory
    /// Part files, named by id.
    public let parts: Directory
    /// What their file system can do; nil if it was not probed, as on a full disk.
    public let abilities: FileSystemAbilities?

    public init(downloads: Directory, parts: Directory, abilities: FileSystemAbilities? = nil) {
        self.downloads = downloads
        self.parts = parts
        self.abilities = abilities
    }

    /// Opens the folder for a download's file, and creates it if it is missing.
    ///
    /// - Parameter access: The access to a new folder.
    func destination(
        _ directory: RelativeDirectory?,
        _ access: AccessAttributes
    ) throws(SystemError) -> Directory {
        guard let directory else { return downloads }
        return try downloads.openDirectory(relative: directory.path, creating: true, access: access)
    }

    /// The longest name of a file, in bytes.
    var longestName: Int { abilities?.longestName ?? FileName.maximumBytes }

    /// Whether an empty file reserves the name of a finished file before the rename over it.
    func renamesByReserving() throws(SystemError) -> Bool {
        if let abilities { return abilities.renamesByReserving }
        return try parts.probeAbilities().renamesByReserving
    }

    /// The folder of a finished file, and its name in that folder; nil for a path without a name.
    ///
    /// - Throws: If the folder cannot be opened or is missing.
    func place(of file: PublishedFile) throws(SystemError) -> (folder: Directory, name: String)? {
        let parts = file.pathComponents
        guard let name = parts.last else { return nil }
        let path = parts.dropLast().joined(separator: "/")
        return (path.isEmpty ? downloads : try downloads.openDirectory(relative: path), name)
    }
}

/// The name of a part file: `<download>.g<generation>.part`.
public struct PartName: Hashable, Sendable {
    public let id: DownloadID
    public let generation: Int

    public init(id: DownloadID, generation: Int) {
        self.id = id
        self.generation = generation
    }

    public var text: String { "\(id).g\(generation).part" }

    /// Parses a part file's name; nil for any other name.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "part", parts[1].first == "g" else { return nil }
        guard let id = DownloadID(String(parts[0])), let generation = Int(parts[1].dropFirst()) else { return nil }
        self.init(id: id, generation: generation)
    }
}

/// The part files of attempts of this process that ended recently. The next attempt need not verify them.
final class RecentPartFiles: Sendable {
    /// How long a part file is trusted after its attempt.
    private static let trust = Duration.seconds(60)
    /// The maximum number of entries. A removed entry costs only one verification.
    private static let limit = 1024

    private let ended = Mutex<[PartName: Timestamp]>([:])

    /// Records that an attempt has ended and that another follows without a user request.
    func record(_ part: PartName, now: Timestamp) {
        ended.withLock { ended in
            if ended.count >= Self.limit { ended = ended.filter { Self.isRecent($0.value, now: now) } }
            if ended.count >= Self.limit { ended = [:] }
            ended[part] = now
        }
    }

    /// Removes the entry of a part file. Returns whether the starting attempt may trust the file.
    func remove(_ part: PartName, now: Timestamp) -> Bool {
        ended.withLock { $0.removeValue(forKey: part) }.map { Self.isRecent($0, now: now) } ?? false
    }

    private static func isRecent(_ end: Timestamp, now: Timestamp) -> Bool {
        // The clock may have been set back since then.
        end <= now && now - end < trust
    }
}
