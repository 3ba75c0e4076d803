public import Core
public import Linux

extension Core.FileIdentity {
    /// The identity of a file in a folder.
    public init(_ found: FileInformation) {
        self = .file(size: found.size, modified: found.modifiedNanoseconds, hint: FileHint(found.identity))
    }
}

extension FileHint {
    /// Device and inode (`inode(7)`).
    public init(_ identity: Linux.FileIdentity) {
        self.init(volume: identity.device, number: identity.inode)
    }
}

/// Whether a file found in a folder is the recorded one.
extension PublishedFile {
    /// Whether the file found at a path is the recorded file itself, as far as its properties tell. The size is
    /// compared too, because a file system reuses the inode number of a removed file.
    ///
    /// The number of a device changes with a restart of the machine (NFS, device mapper, loop, USB), and an inode
    /// number with a restored copy. So a file that is unchanged otherwise is the same; see ``isUntouched(_:)``.
    func isSame(as found: FileInformation) -> Bool {
        guard sizeBytes == found.size else { return false }
        if identity.hint == FileHint(found.identity) { return true }
        return modifiedNanoseconds != nil && isUntouched(found)
    }

    /// Whether the file found at a path may be the empty one that reserved it.
    ///
    /// - Parameter recordedAt: When the publication or the move was recorded.
    func isReserved(by found: FileInformation, since recordedAt: Timestamp) -> Bool {
        // FAT stores times in steps of two seconds.
        let earliest = (recordedAt + .seconds(-2)).milliseconds
        return found.kind == .regular && found.size == 0 && sizeBytes > 0
            && found.modifiedNanoseconds / 1_000_000 >= earliest
    }

    /// Whether the file found at the path is unchanged. The caller must have compared the sizes. A copy, for example in
    /// a restored folder, counts as changed, so its bytes are compared. Without a digest a copy with the same
    /// modification time counts as unchanged.
    func isUntouched(_ found: FileInformation) -> Bool {
        guard let modifiedNanoseconds else { return true }
        return found.modifiedNanoseconds == modifiedNanoseconds
            && (hasInode(of: found) || digests.isEmpty)
    }

    /// Whether the file found at the path has the same inode, and there is no digest to verify its bytes. The caller
    /// must have compared the sizes.
    func isOnlyTouched(_ found: FileInformation) -> Bool {
        digests.isEmpty && hasInode(of: found)
    }

    /// Whether the file found at the path may be this file. Device and inode are ignored: they change when a folder is
    /// copied or restored, and may change when its file system is mounted again.
    func fits(_ found: FileInformation) -> Bool {
        found.kind == .regular && sizeBytes == found.size
    }

    /// The record, updated with the properties of the found file.
    func adopting(_ found: FileInformation) -> Self {
        var file = self
        file.isMissing = false
        // A device number may change when a file system is mounted again, so it is ignored.
        guard modifiedNanoseconds != nil, !isUntouched(found) else { return file }
        file.identity = Core.FileIdentity(found)
        return file
    }

    /// A device number may change when a file system is mounted again, so only the inode number is compared.
    private func hasInode(of found: FileInformation) -> Bool { identity.hint?.number == found.identity.inode }
}
