public import Linux
public import Model

extension Model.FileIdentity {
    /// What the system calls the same.
    public init(_ identity: Linux.FileIdentity) {
        self.init(device: identity.device, inode: identity.inode)
    }
}

extension PublishedFile {
    /// Whether what was found under some name is the very file that was recorded, which a crash between the record and
    /// the completion asks. Its size counts too: a file system gives the number of a removed file to the next one.
    func isSame(as found: FileInformation) -> Bool {
        identity == Model.FileIdentity(found.identity) && sizeBytes == found.size
    }

    /// Whether what was found in its place, and has its size, is as it was left: unchanged since, and the same file. A
    /// copy, as of a folder that was restored, is not the same one, and its bytes decide. Where there is no digest to
    /// compare them with, a copy that has kept the time of the last change counts.
    func isUntouched(_ found: FileInformation) -> Bool {
        guard let modifiedNanoseconds else { return true }
        return found.modifiedNanoseconds == modifiedNanoseconds
            && (identity.inode == found.identity.inode || digests.isEmpty)
    }

    /// Whether what was found in its place, and has its size, is the file with another time, where no digest tells
    /// whether its bytes are the same.
    func isOnlyTouched(_ found: FileInformation) -> Bool {
        digests.isEmpty && identity.inode == found.identity.inode
    }

    /// Whether what was found in its place may be this file. Device and inode say nothing here: a folder that was
    /// copied or restored has other ones, and so may one whose file system was mounted anew.
    func fits(_ found: FileInformation) -> Bool {
        found.kind == .regular && sizeBytes == found.size
    }

    /// The record, updated for the file that was found in its place and is the same one.
    func adopting(_ found: FileInformation) -> Self {
        var file = self
        file.isMissing = false
        // The number of a device changes as it is mounted anew, and says nothing.
        guard modifiedNanoseconds != nil, !isUntouched(found) else { return file }
        file.identity = Model.FileIdentity(found.identity)
        file.modifiedNanoseconds = found.modifiedNanoseconds
        return file
    }
}
