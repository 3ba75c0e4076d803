public import Core
import Linux
import TransferRules

/// A place, configured by the operator, for finished files.
public struct Root: Sendable {
    public let name: RootName
    /// The words for what it cannot do; nil if that is not known, or if it was not available at the start.
    public let unsupported: [String]?
    /// Makes the files of a root that was available at the start; nil if it was not.
    let opened: (@Sendable (PlaceContext) -> any FinishedFiles)?
    /// Opens the root. Blocks. It is called for a download that needs it, while it is not open.
    let open: @Sendable (PlaceContext) throws(RootUnavailable) -> any FinishedFiles

    init(
        _ name: RootName,
        unsupported: [String]? = nil,
        opened: (@Sendable (PlaceContext) -> any FinishedFiles)?,
        open: @escaping @Sendable (PlaceContext) throws(RootUnavailable) -> any FinishedFiles
    ) {
        (self.name, self.unsupported, self.opened, self.open) = (name, unsupported, opened, open)
    }
}

/// What the engine shares with the places of files.
struct PlaceContext: Sendable {
    let pool: BlockingPool
    let directorySync: DirectorySync
    /// The locks of all roots.
    let locks: FilePathLocks
    let settings: SharedSettings
}

/// Why a root cannot be used now.
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
    var ofFile: FilesUnavailable { FilesUnavailable(SystemError(code: 19, call: "open the root")) }
}
