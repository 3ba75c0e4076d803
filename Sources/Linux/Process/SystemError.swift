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

    /// The reason as a clause for people, such as "the disk is full". Of a rare code it is the C library's text with
    /// the call.
    public var message: String { Self.reasons[code] ?? description }

    private static let reasons: [Int32: String] = [
        EACCES: "this user lacks the permission", EPERM: "this user lacks the permission",
        EDQUOT: "the disk quota of this user is used up", EEXIST: "the name is taken",
        EIO: "the device reported an error", EISDIR: "it is a folder",
        ENOTCONN: "the process that serves the file system is gone",
        ESHUTDOWN: "the process that serves the file system is gone",
        ELOOP: "it is a link, and links are not followed",
        EMFILE: "the process has no free file descriptor", ENAMETOOLONG: "the name is too long",
        ENFILE: "the machine has no free file descriptor", ENODEV: "the device is gone", ENOENT: "it does not exist",
        ENOSPC: "the disk is full", ENOTDIR: "a part of its path is no folder", ENOTEMPTY: "the folder is not empty",
        ENXIO: "it is no plain file", EROFS: "the file system is read-only",
        ESTALE: "the file system was replaced or is gone", EUCLEAN: "the file system is damaged",
        EXDEV: "it is on another file system",
    ]

    /// Whether the file system or the owner's quota is full. The condition ends when space is freed.
    public var isOutOfSpace: Bool {
        code == ENOSPC || code == EDQUOT
    }

    /// Whether the device or its file system has failed, is missing, is damaged or is read-only.
    public var isInputOutput: Bool {
        switch code {
        case EIO, EROFS, ENODEV, ESTALE, ENOTCONN, ESHUTDOWN, EUCLEAN, EREMOTEIO: true
        default: false
        }
    }

    /// Whether the device cannot read these bytes. Others of the same file may be readable.
    public var isUnreadableRange: Bool {
        code == EIO || code == EREMOTEIO || code == EUCLEAN
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

    /// Whether the name, or a part of its path, is a link that is not followed.
    public var isLink: Bool {
        code == ELOOP
    }

    /// Whether a part of the path is not a folder, or is a link that is not followed.
    public var isNoPath: Bool {
        code == ENOTDIR || code == ELOOP
    }

    /// Whether the name is longer than the file system allows.
    public var isNameTooLong: Bool {
        code == ENAMETOOLONG
    }

    /// Whether the name is a folder where a file is expected.
    public var isFolder: Bool {
        code == EISDIR
    }

    /// Whether no file can be reached under the name: a part of its path does not exist, is not a folder, is a symbolic
    /// link that is not followed, is too long, or is on another file system.
    public var isUnreachable: Bool {
        isMissing || isNoPath || isNameTooLong || code == EXDEV
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
    /// The C library's text for the code, and the call, for the log.
    public var description: String {
        // glibc's strerror() has been safe from any thread since 2.32.
        "\(String(cString: strerror(code))) (\(call))"
    }
}
