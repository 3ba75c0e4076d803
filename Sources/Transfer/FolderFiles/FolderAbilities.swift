import Core
import Linux

/// What a folder of finished files can do, as it was found when the folder was opened, and the access that new files
/// and folders in it get.
struct FolderAbilities: Sendable {
    /// nil if the file system was not probed, as on a full disk.
    private let probed: FileSystemAbilities?
    /// The access to a finished file.
    let fileAccess: AccessAttributes
    /// The access to a folder created for a finished file.
    let directoryAccess: AccessAttributes

    init(_ probed: FileSystemAbilities?, _ settings: EngineSettings) {
        self.probed = probed
        fileAccess = AccessAttributes(permissions: settings.fileMode, group: settings.fileGroup, isRequired: false)
        directoryAccess = AccessAttributes(
            permissions: settings.directoryMode,
            group: settings.fileGroup,
            isRequired: false
        )
    }

    /// The longest name of a file, in bytes.
    var longestName: Int { probed?.longestName ?? FileName.maximumBytes }

    /// The words for what the file system cannot do; nil if that is not known.
    var missing: [String]? { probed?.missing }

    /// Whether an empty file reserves the name of a finished file before the rename over it. It probes `parts` if that
    /// is not known. Blocks.
    func renamesByReserving(probing parts: Directory) throws(SystemError) -> Bool {
        if let probed { return probed.renamesByReserving }
        return try parts.probeAbilities().renamesByReserving
    }
}
