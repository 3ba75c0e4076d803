import Core

/// The names of the columns by which a finished file is recognised, whatever its path is.
struct FileContentColumns {
    fileprivate let size, digests, device, inode, modified: String

    private init(_ prefix: String) {
        size = "\(prefix)size_bytes"
        digests = "\(prefix)digests"
        device = "\(prefix)device"
        inode = "\(prefix)inode"
        modified = "\(prefix)modified"
    }

    static let finishedFile = Self("file_")
    static let keptFile = Self("kept_")
    static let fileToRemove = Self("")
}

extension RowCoder {
    /// Visits the size, the digests and the identity of a finished file.
    mutating func content(of file: inout PublishedFile, _ names: FileContentColumns) throws(Failure) {
        try column(names.size, &file.sizeBytes)
        try column(names.digests, &file.digests)
        var (device, inode) = file.identity.hint.columns
        try column(names.device, &device)
        try column(names.inode, &inode)
        if isReading { file.identity.hint = FileHint(device: device, inode: inode) }
        try column(names.modified, &file.modifiedNanoseconds)
    }
}

/// Databases have only signed integers.
extension FileHint {
    fileprivate init?(device: Int64?, inode: Int64?) {
        guard let device, let inode else { return nil }
        self.init(volume: UInt64(bitPattern: device), number: UInt64(bitPattern: inode))
    }
}

extension FileHint? {
    fileprivate var columns: (device: Int64?, inode: Int64?) {
        (map { Int64(bitPattern: $0.volume) }, map { Int64(bitPattern: $0.number) })
    }
}
