/// By what a root recognises a finished file, whatever its path is.
///
/// Two files with different sizes are never the same. Equal sizes and modification times usually mean the same file. In
/// case of doubt the digests of the bytes decide.
public enum FileIdentity: Hashable, Sendable {
    /// A file in a folder: its size in bytes, and its modification time in nanoseconds since 1970-01-01 UTC (nil if not
    /// recorded).
    case file(size: Int64, modified: Int64?, hint: FileHint? = nil)

    public var sizeBytes: Int64 {
        get {
            switch self {
            case .file(let size, _, _): size
            }
        }
        set {
            switch self {
            case .file(_, let modified, let hint): self = .file(size: newValue, modified: modified, hint: hint)
            }
        }
    }

    /// In nanoseconds since 1970-01-01 UTC; nil if not recorded.
    public var modifiedNanoseconds: Int64? {
        get {
            switch self {
            case .file(_, let modified, _): modified
            }
        }
        set {
            switch self {
            case .file(let size, _, let hint): self = .file(size: size, modified: newValue, hint: hint)
            }
        }
    }

    /// nil if the root gave none.
    public var hint: FileHint? {
        get {
            switch self {
            case .file(_, _, let hint): hint
            }
        }
        set {
            switch self {
            case .file(let size, let modified, _): self = .file(size: size, modified: modified, hint: newValue)
            }
        }
    }
}

/// Two numbers by which a root finds a file: those of the volume and of the file on it, in a folder.
///
/// They save a comparison of bytes and prove nothing: they may change with a restart of the machine, in a restored
/// folder, and may be reused for another file. Only the root that gave them reads them.
public struct FileHint: Hashable, Sendable {
    public let volume: UInt64
    public let number: UInt64

    public init(volume: UInt64, number: UInt64) {
        self.volume = volume
        self.number = number
    }
}
