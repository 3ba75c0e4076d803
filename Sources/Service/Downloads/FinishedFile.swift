public import Core
import Transfer

/// The file of a completed download, open for reading.
public struct FinishedFile: Sendable {
    public let download: Download
    /// The file name, without folders.
    public let name: String
    private let reading: FileReading

    init(_ download: Download, _ published: PublishedFile, _ reading: FileReading) {
        self.download = download
        name = published.pathComponents.last ?? published.path
        self.reading = reading
    }

    public var sizeBytes: Int64 { reading.sizeBytes }
    /// The modification time that the place of the file reports.
    public var modifiedAt: Timestamp { reading.modifiedAt }

    /// Where the bytes of a file are read from.
    public enum Body: Sendable {
        /// A descriptor of a local file, which the caller must close.
        case file(Int32)
    }

    /// The file's bytes, for one response; nil if the process has no free descriptor.
    public func body() -> Body? {
        switch reading {
        case .file(let opened): opened.descriptor().map(Body.file)
        }
    }
}
