public import Model
import Transfers

/// The file of a completed download, open for reading.
public struct FinishedFile: Sendable {
    public let download: Download
    /// Its name, without folders.
    public let name: String
    private let opened: OpenedFile

    init(_ download: Download, _ published: PublishedFile, _ opened: OpenedFile) {
        self.download = download
        name = published.pathComponents.last ?? published.path
        self.opened = opened
    }

    public var sizeBytes: Int64 { opened.sizeBytes }
    /// As the file system has it.
    public var modifiedAt: Timestamp { opened.modifiedAt }

    /// A descriptor of the caller's own, which it must close; nil where the process has none left.
    public func descriptor() -> Int32? { opened.descriptor() }
}
