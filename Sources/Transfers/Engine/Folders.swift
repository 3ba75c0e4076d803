public import Linux
public import Model

/// Where files are: both folders lie on one file system, so that a finished part is moved, not copied.
public struct Folders: Sendable {
    /// Finished files, in the sub-folders that clients name.
    public let downloads: Directory
    /// Part files, named by id.
    public let parts: Directory

    public init(downloads: Directory, parts: Directory) {
        self.downloads = downloads
        self.parts = parts
    }

    /// The folder that a download's file goes to, made if it is missing.
    func destination(_ directory: RelativeDirectory?) throws(SystemError) -> Directory {
        guard let directory else { return downloads }
        return try downloads.openDirectory(relative: directory.path, creating: true, mode: 0o777)
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

    /// The name that `text` is, or nil for any other file.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[2] == "part", parts[1].first == "g" else { return nil }
        guard let id = DownloadID(String(parts[0])), let generation = Int(parts[1].dropFirst()) else { return nil }
        self.init(id: id, generation: generation)
    }
}
