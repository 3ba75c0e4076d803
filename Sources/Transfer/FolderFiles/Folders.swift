import Core
public import Linux

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

    /// The folder of a finished file, and its name in that folder; nil for a path without a name.
    ///
    /// - Throws: If the folder cannot be opened or is missing.
    func place(of file: PublishedFile) throws(SystemError) -> (folder: Directory, name: String)? {
        try place(at: file.path)
    }

    /// The folder of a path, and the name in it; nil for a path without a name.
    ///
    /// - Throws: If the folder cannot be opened or is missing.
    func place(at path: String) throws(SystemError) -> (folder: Directory, name: String)? {
        guard let (folder, name) = Self.split(path) else { return nil }
        return (folder.isEmpty ? downloads : try downloads.openDirectory(relative: folder), name)
    }

    /// The folder of a path, created if missing, and the name in it; nil for a path without a name.
    ///
    /// - Parameter access: The access to a new folder.
    func placeToMake(
        at path: String,
        _ access: AccessAttributes
    ) throws(SystemError) -> (folder: Directory, name: String)? {
        guard let (folder, name) = Self.split(path) else { return nil }
        return (
            folder.isEmpty ? downloads : try downloads.openDirectory(relative: folder, creating: true, access: access),
            name
        )
    }

    /// Opens a finished file; nil if it is missing.
    func openFinished(_ path: String) throws(SystemError) -> File? {
        do throws(SystemError) {
            return try downloads.openFile(relative: path)
        } catch  where error.isUnreachable {
            return nil
        }
    }

    private static func split(_ path: String) -> (folder: String, name: String)? {
        let components = PublishedFile.components(of: path)
        guard let name = components.last else { return nil }
        return (components.dropLast().joined(separator: "/"), name)
    }
}
