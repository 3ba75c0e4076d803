import Glibc

/// What a name in a folder stands for.
public enum FileKind: Hashable, Sendable {
    case regular
    case directory
    case symbolicLink
    /// A device, a pipe or a socket.
    case other

    init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFLNK: self = .symbolicLink
        default: self = .other
        }
    }
}
