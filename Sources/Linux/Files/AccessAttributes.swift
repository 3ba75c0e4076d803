import CLinux
import Glibc

/// Who may use a new file or folder.
public struct AccessAttributes: Hashable, Sendable {
    /// The exact permission bits; the umask does not apply.
    public var permissions: UInt32
    /// The number of the group; nil for the one that the kernel chooses.
    public var group: UInt32?
    /// Whether a file system without permissions or owners (CIFS, NTFS, exFAT) is an error.
    public var isRequired: Bool

    public init(permissions: UInt32, group: UInt32? = nil, isRequired: Bool = true) {
        (self.permissions, self.group, self.isRequired) = (permissions, group, isRequired)
    }

    /// Whether a new file usually has this access if it is created with ``permissions``: the umask removes none, and
    /// the kernel chooses the group. The default ACL of a folder may still change it (`acl(5)`).
    public var isGivenAtCreation: Bool { group == nil && permissions & Umask.bits == 0 }

    /// Whether a file has this access.
    public func isAccess(of found: FileInformation) -> Bool {
        permissions == found.permissions && (group ?? found.group) == found.group
    }
}
