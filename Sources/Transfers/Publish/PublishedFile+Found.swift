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

    /// Whether what was found in its place may be this file. Device and inode say nothing here: a folder that was
    /// copied or restored has other ones, and so may one whose file system was mounted anew.
    func fits(_ found: FileInformation) -> Bool {
        found.kind == .regular && sizeBytes == found.size
    }
}
