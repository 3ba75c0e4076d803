import Glibc

/// A failed system call: its name and its error code.
///
/// It contains no path, because a path may contain text of a user or an origin. The caller adds the path where it may
/// be shown.
public struct SystemError: Error, Hashable, Sendable {
    /// The value of `errno(3)`, such as `ENOSPC`.
    public let code: Int32

    /// The name of the call, such as `pwrite`.
    public let call: String

    public init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }

    /// A text for the operator: the C library's text for the code, and the call.
    public var message: String {
        // glibc's strerror() has been safe from any thread since 2.32.
        "\(String(cString: strerror(code))) (\(call))"
    }

    /// Whether the file system or the owner's quota is full. The condition ends when space is freed.
    public var isOutOfSpace: Bool {
        code == ENOSPC || code == EDQUOT
    }

    /// Whether the device or its file system has failed, is missing, is damaged or is read-only.
    public var isInputOutput: Bool {
        switch code {
        case EIO, EROFS, ENODEV, ESTALE, EUCLEAN, EREMOTEIO: true
        default: false
        }
    }

    /// Whether the file system is mounted read-only, or became read-only after an error.
    public var isReadOnly: Bool {
        code == EROFS
    }

    /// Whether the name is already taken.
    public var isExists: Bool {
        code == EEXIST
    }

    /// Whether the disk of an open file fails or is gone. Its path may lead to a working file system again.
    public var isDiskFailure: Bool {
        [EIO, ENODEV, ENXIO, ESTALE, ENOTCONN, ESHUTDOWN, EREMOTEIO].contains(code)
    }

    /// Whether the file system has no hard links, or refuses this one (`link(2)`).
    var isLinkRefused: Bool {
        [EPERM, EOPNOTSUPP, ENOSYS, EMLINK, EINVAL].contains(code)
    }

    /// Whether the file system keeps no permissions or owners, or does not let this process set them.
    var isUnsupportedAccess: Bool {
        [EPERM, EACCES, EOPNOTSUPP, ENOSYS, EINVAL].contains(code)
    }

    /// Whether the name, or a folder of its path, does not exist.
    public var isMissing: Bool {
        code == ENOENT
    }

    /// Whether a part of the path is not a folder, or is a link that is not followed.
    public var isNoPath: Bool {
        code == ENOTDIR || code == ELOOP
    }

    /// Whether the name is a folder where a file is expected.
    public var isFolder: Bool {
        code == EISDIR
    }

    /// Whether no file can be reached under the name: a part of its path does not exist, is not a folder, is a symbolic
    /// link that is not followed, or is on another file system.
    public var isUnreachable: Bool {
        isMissing || isNoPath || code == EXDEV
    }

    /// Whether permissions or a missing privilege forbid the call.
    public var isPermissionDenied: Bool {
        code == EACCES || code == EPERM
    }

    /// Whether the file would exceed the limit of the file system or the process.
    public var isFileTooLarge: Bool {
        code == EFBIG
    }

    /// Whether a file that should be a short text is too long or not UTF-8 (``SecretFile``).
    public var isNoShortText: Bool {
        code == EILSEQ || code == EFBIG
    }

    /// Whether the process or the machine has no free descriptor. The condition ends when others are closed.
    public var isOutOfDescriptors: Bool {
        code == EMFILE || code == ENFILE
    }
}

extension SystemError: CustomStringConvertible {
    public var description: String {
        message
    }
}
