public import Core
public import Linux

/// A finished file, open for reading.
public enum FileReading: Sendable {
    /// A local file.
    case file(OpenedFile)

    public var sizeBytes: Int64 {
        switch self {
        case .file(let opened): opened.sizeBytes
        }
    }

    /// The modification time that the place of the file reports.
    public var modifiedAt: Timestamp {
        switch self {
        case .file(let opened): opened.modifiedAt
        }
    }

    /// The file's record, updated with the properties of the opened file.
    public var published: PublishedFile {
        switch self {
        case .file(let opened): opened.published
        }
    }
}

/// A finished file with a descriptor of this process.
public struct OpenedFile: Sendable {
    public let file: File
    public let sizeBytes: Int64
    /// The modification time in the file system.
    public let modifiedAt: Timestamp
    /// The file's record, updated with these properties.
    public let published: PublishedFile

    /// A duplicate descriptor, which the caller must close; nil if the process has no free descriptor.
    public func descriptor() -> Int32? { try? file.duplicateDescriptor() }
}

/// Whether a finished file is at its path.
public enum FileState: Hashable, Sendable {
    /// It is there, unchanged.
    case same
    /// Another file of its size is there.
    case other
    /// No file of its size is there.
    case missing
    /// A file of its size is there. Only a comparison of the bytes can tell whether it is this one.
    case uncertain
}

/// The result of a move of a finished file.
public enum MoveResult: Hashable, Sendable {
    case moved
    /// Another file has the new name.
    case taken
    /// The file is missing or was replaced.
    case missing
}
