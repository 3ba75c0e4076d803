import CLinux
import Glibc

/// How a file is opened.
public enum FileAccess: Hashable, Sendable {
    /// An existing file, for reading.
    case read
    /// An existing file, for reading and writing.
    case update
    /// A new file, for reading and writing. `EEXIST` if the name is taken, even by a link.
    case create
    /// The existing file or a new one, for reading and writing.
    case createIfMissing

    var flags: CInt {
        switch self {
        case .read: O_RDONLY
        case .update: O_RDWR
        case .create: O_RDWR | O_CREAT | O_EXCL
        case .createIfMissing: O_RDWR | O_CREAT
        }
    }

    var creates: Bool {
        self == .create || self == .createIfMissing
    }
}
