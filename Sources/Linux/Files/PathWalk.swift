import CLinux
import Glibc

/// How a path below a folder is opened, so that it cannot leave the folder.
enum PathWalk: CaseIterable, Sendable {
    /// `openat2(2)`, since Linux 5.6: the kernel checks each step.
    case kernel
    /// A call for each component, none of which follows a link. Older kernels have no `openat2(2)`, and the seccomp
    /// profiles of older container engines refuse it.
    ///
    /// A folder that is moved out of its parent between two steps is followed to its new place.
    case components

    /// What this process can use.
    static let available: PathWalk = {
        let descriptor = shim_openat2(AT_FDCWD, "/", CInt(SHIM_O_PATH) | O_CLOEXEC, 0, 0)
        guard descriptor < 0 else {
            close(descriptor)
            return .kernel
        }
        // Profiles refuse a call with either; the root itself is refused with neither.
        return errno == ENOSYS || errno == EPERM ? .components : .kernel
    }()

    /// `RESOLVE_BENEATH` refuses paths that leave the folder, `RESOLVE_NO_SYMLINKS` refuses symbolic links, and
    /// `RESOLVE_NO_MAGICLINKS` refuses the links of `/proc/<pid>`.
    private static let beneath = UInt64(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

    /// Opens a path relative to a folder.
    ///
    /// - Throws: `ELOOP` for a link, `EXDEV` for a path that would leave the folder.
    func open(_ path: String, in folder: Descriptor, flags: CInt, mode: UInt32) throws(SystemError) -> Descriptor {
        switch self {
        case .kernel:
            // The number is used inside this closure, so that the use is counted.
            return try Descriptor(opening: "openat2", from: folder) {
                shim_openat2($0, path, flags | O_CLOEXEC, mode, Self.beneath)
            }
        case .components:
            let components = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
                .map { String(Substring($0)) }
            guard !components.contains(".."), components.first != "" else {
                throw SystemError(code: EXDEV, call: "openat")
            }
            var parent = folder
            for name in components.dropLast() {
                parent = try step(to: name, in: parent, flags: CInt(SHIM_O_PATH) | O_DIRECTORY, mode: 0)
            }
            return try step(to: components[components.count - 1], in: parent, flags: flags, mode: mode)
        }
    }

    private func step(
        to name: String,
        in parent: Descriptor,
        flags: CInt,
        mode: UInt32
    ) throws(SystemError) -> Descriptor {
        while true {
            do {
                return try Descriptor(opening: "openat", from: parent) {
                    openat($0, name, flags | O_NOFOLLOW | O_CLOEXEC, mode_t(mode))
                }
            } catch  where error.code == ENOTDIR {
                switch kind(of: name, in: parent) {
                // With O_DIRECTORY a link is no folder; openat2(2) calls it a link.
                case .symbolicLink?: throw SystemError(code: ELOOP, call: "openat")
                // A folder has taken the place of something else in between.
                case .directory?: continue
                case .regular?, .other?, nil: throw error
                }
            }
        }
    }

    private func kind(of name: String, in parent: Descriptor) -> FileKind? {
        var status = stat()
        let result = parent.borrow { fstatat($0, name, &status, AT_SYMLINK_NOFOLLOW) }
        return result == 0 ? FileInformation(status).kind : nil
    }
}
