public import Core
import Linux

/// Roots that are folders.
extension Root {
    /// - Parameters:
    ///   - folders: The folders; nil if they were not available at the start.
    ///   - isCurrent: Whether the path of the root still leads to these folders; nil if they stay open for the whole
    ///     process. Blocks. It does not after the disk was unmounted or the folder was renamed, though the open folders
    ///     still work.
    ///   - open: Opens the folders. Blocks. It is called for a download that needs them, while they are not open.
    public init(
        _ name: RootName,
        folders: Folders?,
        isCurrent: (@Sendable (Folders) -> Bool)?,
        open: @escaping @Sendable () throws(RootUnavailable) -> Folders
    ) {
        let foreignFiles = ForeignFiles()
        var opened: (@Sendable (PlaceContext) -> any FinishedFiles)?
        if let folders { opened = { FolderFiles(name, folders, isCurrent: isCurrent, foreignFiles, $0) } }
        self.init(name, unsupported: folders?.abilities?.missing, opened: opened) {
            context throws(RootUnavailable) in
            FolderFiles(name, try open(), isCurrent: isCurrent, foreignFiles, context)
        }
    }

    /// A root whose folders stay open.
    public init(_ name: RootName, _ folders: Folders) {
        self.init(name, folders: folders, isCurrent: nil) { () throws(RootUnavailable) in folders }
    }
}
