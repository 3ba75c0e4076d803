public import Linux
public import Model

extension Model.FileIdentity {
    /// What the system calls the same.
    public init(_ identity: Linux.FileIdentity) {
        self.init(device: identity.device, inode: identity.inode)
    }
}

extension PublishedFile {
    /// Whether what was found under some name is this file. Its size counts too: a file system gives the number of a
    /// removed file to the next one.
    func isSame(as found: FileInformation) -> Bool {
        identity == Model.FileIdentity(found.identity) && sizeBytes == found.size
    }
}
