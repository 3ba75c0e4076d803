import CLinux
import Glibc

/// An open folder. Files below it are opened by name, and no name can lead outside.
///
/// The object refers to the same folder after a rename. Names are checked twice: here, where a separator, `..` and NUL
/// are errors (`EINVAL`), and by ``PathWalk``, which may not leave this folder or follow a link (`EXDEV`, `ELOOP`).
/// Every call may block on the device: make it on a ``BlockingPool``.
public final class Directory: Sendable {
    /// Device and inode: equal for two objects that refer to the same folder.
    public let identity: FileIdentity

    let descriptor: Descriptor
    private let walk: PathWalk

    init(descriptor: Descriptor, walk: PathWalk = .available) throws(SystemError) {
        self.descriptor = descriptor
        self.walk = walk
        identity = try descriptor.information().identity
    }

    /// Opens a folder that the operator configured. Links are followed.
    public convenience init(path: String) throws(SystemError) {
        try self.init(path: path, walk: .available)
    }

    convenience init(path: String, walk: PathWalk) throws(SystemError) {
        let path = try PathRules.checkedPath(path)
        let descriptor = try Descriptor(opening: "open") { Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        try self.init(descriptor: descriptor, walk: walk)
    }

    /// Opens a file of this folder; `access` decides whether it is created.
    ///
    /// - Parameter mode: The permissions of a new file, before the umask.
    /// - Throws: `ELOOP` for a link, `EISDIR` for a folder, `ENXIO` for a pipe, a device or a socket.
    public func openFile(named name: String, access: FileAccess, mode: UInt32 = 0o600) throws(SystemError) -> File {
        let name = try PathRules.checkedName(name)
        // O_NONBLOCK: without it, opening a pipe would wait for the other end. The flag has no effect on a regular
        // file, and every other kind is refused below.
        let flags = access.flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let file = File(descriptor: try openBeneath(name, flags: flags, mode: access.creates ? mode : 0))
        if access != .create { try Self.requireRegular(file) }
        return file
    }

    /// Opens an existing file below this folder for reading, with the same errors.
    public func openFile(relative path: String) throws(SystemError) -> File {
        let components = try PathRules.components(path)
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let file = File(descriptor: try openBeneath(components.joined(separator: "/"), flags: flags))
        try Self.requireRegular(file)
        return file
    }

    /// Whether the name is taken, even by a link without a target.
    public func exists(_ name: String) throws(SystemError) -> Bool {
        do {
            _ = try information(of: name)
            return true
        } catch  where error.isMissing {
            return false
        }
    }

    /// The attributes of the named entry. A link is not followed.
    public func information(of name: String) throws(SystemError) -> FileInformation {
        let name = try PathRules.checkedName(name)
        var status = stat()
        try descriptor.use("fstatat") { fstatat($0, name, &status, AT_SYMLINK_NOFOLLOW) }
        return FileInformation(status)
    }

    /// The absolute path of the folder now, without links (`proc(5)`).
    public func currentPath() throws(SystemError) -> String {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = try descriptor.use("readlink") { readlink("/proc/self/fd/\($0)", &buffer, buffer.count) }
        // `CChar` is unsigned on some processors, where `UInt8(bitPattern:)` would not take it.
        return String(decoding: buffer[..<count].map { UInt8(truncatingIfNeeded: $0) }, as: UTF8.self)
    }

    /// Waits until the names in this folder are on the device (`fsync(2)`).
    ///
    /// A rename is durable only after this. ``DirectorySync`` shares one call among many callers.
    public func synchronize() throws(SystemError) {
        try descriptor.use("fsync") { fsync($0) }
    }

    /// Opens a path relative to this folder; all opens below the folder use this function. The path cannot leave the
    /// folder, and links are not followed.
    func openBeneath(_ path: String, flags: CInt, mode: UInt32 = 0) throws(SystemError) -> Descriptor {
        try walk.open(path, in: descriptor, flags: flags, mode: mode)
    }

    private static func requireRegular(_ file: File) throws(SystemError) {
        switch try file.information().kind {
        case .regular: return
        case .directory: throw SystemError(code: EISDIR, call: "open")
        case .symbolicLink, .other: throw SystemError(code: ENXIO, call: "open")
        }
    }
}

extension Directory {
    /// Without O_NOFOLLOW: `RESOLVE_NO_SYMLINKS` then refuses a link at the end with `ELOOP`; with it, the error is
    /// `ENOTDIR`.
    private static let flags = O_RDONLY | O_DIRECTORY

    /// Opens a folder below this one, at any depth.
    ///
    /// Each new folder is durable: its parent is synchronised. Existing folders are not changed.
    /// - Parameters:
    ///   - path: A relative path, such as `a/b`.
    ///   - creating: Whether to create the missing folders of the path.
    ///   - access: The exact access to a new folder; the umask does not apply.
    public func openDirectory(
        relative path: String,
        creating: Bool = false,
        access: AccessAttributes = AccessAttributes(permissions: 0o700)
    ) throws(SystemError) -> Directory {
        let components = try PathRules.components(path)
        do {
            return try open(components.joined(separator: "/"))
        } catch  where error.isMissing && creating {
            return try create(components, access)
        }
    }

    /// Opens a folder below this one, at any depth, and creates it with these permissions if it is missing.
    public func openDirectory(
        relative path: String,
        creating: Bool,
        mode: UInt32
    ) throws(SystemError) -> Directory {
        try openDirectory(relative: path, creating: creating, access: AccessAttributes(permissions: mode))
    }

    private func open(_ path: String) throws(SystemError) -> Directory {
        try Directory(descriptor: try openBeneath(path, flags: Self.flags), walk: walk)
    }

    private func create(_ components: [String], _ access: AccessAttributes) throws(SystemError) -> Directory {
        var current = self
        for name in components {
            let isNew = try current.makeDirectory(name, mode: access.permissions)
            // The same rules apply to an entry that another process creates in the meantime.
            let made = try current.open(name)
            if isNew {
                try made.descriptor.setAccess(access, from: made.descriptor.information())
                try current.synchronize()
            }
            current = made
        }
        return current
    }

    /// Returns false if the name was taken.
    private func makeDirectory(_ name: String, mode: UInt32) throws(SystemError) -> Bool {
        do {
            try descriptor.use("mkdirat") { mkdirat($0, name, mode_t(mode)) }
            return true
        } catch  where error.isExists {
            return false
        }
    }
}

/// Validates a name before a system call uses it.
///
/// ``PathWalk`` cannot leave its folder. The other calls that take a name in a folder (`unlinkat`, `renameat2`,
/// `mkdirat`, `fstatat`, `linkat`) have no such flag, so their names must have no separator and no `..`. A Swift string
/// may also contain a NUL, where C would end the name.
enum PathRules {
    static func checkedName(_ name: String) throws(SystemError) -> String {
        guard isName(name.utf8) else { throw SystemError(code: EINVAL, call: "name") }
        return name
    }

    /// The components of a relative path. None is empty, `.` or `..`.
    static func components(_ path: String) throws(SystemError) -> [String] {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ isName($0) }) else { throw SystemError(code: EINVAL, call: "path") }
        return parts.map { String(Substring($0)) }
    }

    /// A path that the operator configured: any text without a NUL.
    static func checkedPath(_ path: String) throws(SystemError) -> String {
        guard !path.utf8.contains(0) else { throw SystemError(code: EINVAL, call: "path") }
        return path
    }

    private static func isName(_ name: some Collection<UInt8>) -> Bool {
        !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
            && !name.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }
}
