import Glibc

/// A system call that failed: which one, and the kernel's reason.
///
/// It has no path, because a path may contain text of a user or an origin; the caller adds it where it may be shown.
public struct SystemError: Error, Hashable, Sendable {
    /// The value of `errno(3)`, such as `ENOSPC`.
    public let code: Int32

    /// The name of the call, such as `pwrite`.
    public let call: String

    public init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }

    /// For people: the call and the C library's text for the code.
    public var message: String {
        // glibc's strerror() has been safe from any thread since 2.32.
        "\(call): \(String(cString: strerror(code)))"
    }

    /// Whether the file system or the owner's quota is full. It passes when space is freed.
    public var isOutOfSpace: Bool {
        code == ENOSPC || code == EDQUOT
    }

    /// Whether the device or its file system fails, is gone, is damaged or has become read-only.
    public var isInputOutput: Bool {
        switch code {
        case EIO, EROFS, ENODEV, ESTALE, EUCLEAN, EREMOTEIO: true
        default: false
        }
    }

    /// Whether the file system is read-only, by its mount or after an error.
    public var isReadOnly: Bool {
        code == EROFS
    }

    /// Whether the name is already taken.
    public var isExists: Bool {
        code == EEXIST
    }

    /// Whether the name, or a folder on the way to it, does not exist.
    public var isMissing: Bool {
        code == ENOENT
    }

    /// Whether something on the way to the name is no folder, or is a link that is not followed.
    public var isNoPath: Bool {
        code == ENOTDIR || code == ELOOP
    }

    /// Whether the name is a folder's, where a file is meant.
    public var isFolder: Bool {
        code == EISDIR
    }

    /// Whether no file can be reached under the name: it or a folder on the way to it does not exist, or is no folder,
    /// or a symbolic link that is not followed, or leads to another file system.
    public var isUnreachable: Bool {
        isMissing || isNoPath || code == EXDEV
    }

    /// Whether permissions, or the absence of a privilege, forbid it.
    public var isPermissionDenied: Bool {
        code == EACCES || code == EPERM
    }

    /// Whether the file would exceed what the file system or the process limit allows.
    public var isFileTooLarge: Bool {
        code == EFBIG
    }

    /// Whether a file that is to be a short text is longer, or no text (``SecretFile``).
    public var isNoShortText: Bool {
        code == EILSEQ || code == EFBIG
    }

    /// Whether the process or the machine has no descriptor left. It passes when others are closed.
    public var isOutOfDescriptors: Bool {
        code == EMFILE || code == ENFILE
    }
}

extension SystemError: CustomStringConvertible {
    public var description: String {
        message
    }
}
