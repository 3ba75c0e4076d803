import CLinux
import Glibc

/// An open folder: files below it are opened by name, and no name leads outside.
///
/// It stays the same folder when it is renamed. Names are checked twice: they may hold no separator, no `..`
/// and no NUL (`EINVAL`), and `openat2(2)` is told to stay beneath this folder and to follow no link (`EXDEV`,
/// `ELOOP`). Every call may block on the device: make it on a ``BlockingPool``.
public final class Directory: Sendable {
    /// `RESOLVE_BENEATH` refuses a way out, `RESOLVE_NO_SYMLINKS` every link on the way,
    /// `RESOLVE_NO_MAGICLINKS` those of `/proc/<pid>`.
    private static let beneath = UInt64(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)

    /// Device and inode: equal for two handles of one folder.
    public let identity: FileIdentity

    let descriptor: Descriptor

    init(descriptor: Descriptor) throws(SystemError) {
        self.descriptor = descriptor
        identity = try descriptor.information().identity
    }

    /// Opens a folder that the operator named; links are followed.
    public convenience init(path: String) throws(SystemError) {
        let path = try PathRules.checkedPath(path)
        try self.init(
            descriptor: try Descriptor(opening: "openat2") {
                shim_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0)
            }
        )
    }

    /// Opens the file of this name, or creates it.
    ///
    /// - Parameter mode: The permissions of a new file, before the umask.
    /// - Throws: `ELOOP` for a link, `EISDIR` for a folder, `ENXIO` for a pipe, a device or a socket.
    public func openFile(named name: String, access: FileAccess, mode: UInt32 = 0o600) throws(SystemError) -> File {
        let name = try PathRules.checkedName(name)
        // O_NONBLOCK: opening a pipe that someone put here must not wait for its other end. It means nothing
        // for a regular file, and anything else is refused below.
        let flags = access.flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let file = File(descriptor: try openBeneath(name, flags: flags, mode: access.creates ? mode : 0))
        if access != .create { try Self.requireRegular(file) }
        return file
    }

    /// Opens an existing file further down for reading, under the same rules.
    public func openFile(relative path: String) throws(SystemError) -> File {
        let components = try PathRules.components(path)
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let file = File(descriptor: try openBeneath(components.joined(separator: "/"), flags: flags))
        try Self.requireRegular(file)
        return file
    }

    /// Whether the name is taken, even by a dangling link.
    public func exists(_ name: String) throws(SystemError) -> Bool {
        do {
            _ = try information(of: name)
            return true
        } catch  where error.isMissing {
            return false
        }
    }

    /// The kind of the named entry; a link is not followed.
    public func information(of name: String) throws(SystemError) -> FileInformation {
        let name = try PathRules.checkedName(name)
        var status = stat()
        try descriptor.use("fstatat") { fstatat($0, name, &status, AT_SYMLINK_NOFOLLOW) }
        return FileInformation(status)
    }

    /// Waits until the names in this folder are on the device, `fsync(2)`.
    ///
    /// A rename is lost in a power cut until this returns. ``DirectorySync`` shares one among many callers.
    public func synchronize() throws(SystemError) {
        try descriptor.use("fsync") { fsync($0) }
    }

    /// The only way to open below: relative to this folder, beneath it, and through no link.
    func openBeneath(_ path: String, flags: CInt, mode: UInt32 = 0) throws(SystemError) -> Descriptor {
        // The folder's own descriptor is used inside, so that its uses are counted.
        try Descriptor(opening: "openat2", from: descriptor) {
            shim_openat2($0, path, flags | O_CLOEXEC, mode, Self.beneath)
        }
    }

    private static func requireRegular(_ file: File) throws(SystemError) {
        switch try file.information().kind {
        case .regular: return
        case .directory: throw SystemError(code: EISDIR, call: "openat2")
        case .symbolicLink, .other: throw SystemError(code: ENXIO, call: "openat2")
        }
    }
}

extension Directory {
    /// Without O_NOFOLLOW, so that a link at the end is refused as `ELOOP` by `RESOLVE_NO_SYMLINKS`, not as `ENOTDIR`.
    private static let flags = O_RDONLY | O_DIRECTORY

    /// Opens a folder further down.
    ///
    /// New folders are durable: the folder above each new one is synchronised. Existing folders are not changed.
    /// - Parameters:
    ///   - path: Relative, may nest: `a/b`.
    ///   - creating: Whether to create missing folders on the path.
    ///   - mode: The exact permissions of a new folder, without the umask.
    public func openDirectory(
        relative path: String,
        creating: Bool = false,
        mode: UInt32 = 0o700
    ) throws(SystemError) -> Directory {
        let components = try PathRules.components(path)
        do {
            return try open(components.joined(separator: "/"))
        } catch  where error.isMissing && creating {
            return try create(components, mode: mode)
        }
    }

    private func open(_ path: String) throws(SystemError) -> Directory {
        try Directory(descriptor: try openBeneath(path, flags: Self.flags))
    }

    private func create(_ components: [String], mode: UInt32) throws(SystemError) -> Directory {
        var current = self
        for name in components {
            let isNew = try current.makeDirectory(name, mode: mode)
            if isNew { try current.synchronize() }
            // An entry that another process made is checked by the same rules.
            current = try current.open(name)
            if isNew { try current.descriptor.use("fchmod") { fchmod($0, mode_t(mode)) } }
        }
        return current
    }

    /// Returns whether it was created; false if the name was taken.
    private func makeDirectory(_ name: String, mode: UInt32) throws(SystemError) -> Bool {
        do {
            try descriptor.use("mkdirat") { mkdirat($0, name, mode_t(mode)) }
            return true
        } catch  where error.isExists {
            return false
        }
    }
}

/// The check of a name before it reaches the kernel.
///
/// `openat2(2)` refuses an escape by itself. The calls that take a name in a folder (`unlinkat`, `renameat2`,
/// `mkdirat`, `fstatat`, `linkat`) have no such flag, so names for them have no separator and no `..`. And a Swift
/// string may have a NUL, at which C would silently cut it.
enum PathRules {
    static func checkedName(_ name: String) throws(SystemError) -> String {
        guard isName(name.utf8) else { throw SystemError(code: EINVAL, call: "name") }
        return name
    }

    /// The components of a relative path, which hold no `.` and no `..`, and none of which is empty.
    static func components(_ path: String) throws(SystemError) -> [String] {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ isName($0) }) else { throw SystemError(code: EINVAL, call: "path") }
        return parts.map { String(Substring($0)) }
    }

    /// A path of the operator: anything without a NUL.
    static func checkedPath(_ path: String) throws(SystemError) -> String {
        guard !path.utf8.contains(0) else { throw SystemError(code: EINVAL, call: "path") }
        return path
    }

    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
            && !name.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }
}
