import CLinux
import Glibc

extension Directory {
    /// Removes a file or a link, but no folder.
    ///
    /// - Returns: False if the name does not exist.
    @discardableResult
    public func remove(_ name: String) throws(SystemError) -> Bool {
        let name = try PathRules.checkedName(name)
        do {
            try descriptor.use("unlinkat") { unlinkat($0, name, 0) }
            return true
        } catch  where error.isMissing {
            return false
        }
    }

    /// Removes a file, a link, or a folder with all its contents. Links are not followed.
    ///
    /// - Returns: False if the name does not exist.
    @discardableResult
    public func removeAll(_ name: String) throws(SystemError) -> Bool {
        do {
            return try remove(name)
        } catch  where error.isFolder {
            let folder = try openDirectory(relative: name)
            for entry in try folder.entries() { try folder.removeAll(entry) }
            try descriptor.use("unlinkat") { unlinkat($0, name, AT_REMOVEDIR) }
            return true
        }
    }
}

extension Directory {
    /// Renames a file within this folder or to another folder of the same file system.
    ///
    /// The change is atomic. It is durable once both folders are synchronised.
    /// - Parameter replacing: Whether to replace an existing file of the new name. If false and the name is taken, the
    ///   call throws ``SystemError/isExists`` and changes nothing.
    /// - Throws: `EXDEV` if the other folder is on another file system.
    public func rename(
        _ name: String,
        to directory: Directory,
        _ newName: String,
        replacing: Bool
    ) throws(SystemError) {
        guard !replacing else { return try rename(name, to: directory, newName, flags: 0) }
        do {
            try rename(name, to: directory, newName, flags: UInt32(SHIM_RENAME_NOREPLACE))
        } catch  where error.code == EINVAL || error.code == ENOSYS {
            // rename(2): EINVAL if the file system does not support the flag.
            do {
                try renameByLinking(name, to: directory, newName)
            } catch  where error.isLinkRefused {
                try renameByReserving(name, to: directory, newName)
            }
        }
    }

    /// Renames over an empty file that is created under the new name first, which fails if the name is taken. For file
    /// systems without hard links (exFAT, FAT, some of FUSE and networks).
    ///
    /// A crash between the two calls leaves the empty file, and the file under its old name.
    func renameByReserving(_ name: String, to directory: Directory, _ newName: String) throws(SystemError) {
        guard try information(of: name).kind == .regular else { throw SystemError(code: EPERM, call: "rename") }
        let reserved = try directory.openFile(named: newName, access: .create).information()
        do throws(SystemError) {
            // A program that opened the file meanwhile may have written into it.
            guard try directory.information(of: newName).isSameVersion(as: reserved) else {
                throw SystemError(code: EEXIST, call: "rename")
            }
            try rename(name, to: directory, newName, flags: 0)
        } catch {
            // The caller receives this error, not an error of the removal.
            if let found = try? directory.information(of: newName), found.isSameVersion(as: reserved) {
                _ = try? directory.remove(newName)
            }
            throw error
        }
    }

    /// Renames with `linkat(2)`, which never replaces a name, followed by the removal of the old name.
    ///
    /// Between the two calls, and after a crash there, the file has both names. Folders cannot be linked (`EPERM`).
    func renameByLinking(_ name: String, to directory: Directory, _ newName: String) throws(SystemError) {
        let name = try PathRules.checkedName(name)
        let newName = try PathRules.checkedName(newName)
        try withDescriptors(and: directory, "linkat") { linkat($0, name, $1, newName, 0) }
        try remove(name)
    }

    func linkFile(_ name: String, _ newName: String) throws(SystemError) {
        try withDescriptors(and: self, "linkat") { linkat($0, name, $1, newName, 0) }
    }

    func renameExclusively(_ name: String, _ newName: String) throws(SystemError) {
        try rename(name, to: self, newName, flags: UInt32(SHIM_RENAME_NOREPLACE))
    }

    private func rename(
        _ name: String,
        to directory: Directory,
        _ newName: String,
        flags: UInt32
    ) throws(SystemError) {
        let name = try PathRules.checkedName(name)
        let newName = try PathRules.checkedName(newName)
        try withDescriptors(and: directory, "renameat2") { shim_renameat2($0, name, $1, newName, flags) }
    }

    private func withDescriptors(
        and other: Directory,
        _ call: String,
        _ body: (CInt, CInt) -> CInt
    ) throws(SystemError) {
        try descriptor.use(call) { mine in other.descriptor.borrow { body(mine, $0) } }
    }
}

extension Directory {
    /// Verifies that this process can make files here with this access. Leaves no file behind.
    public func requireAccess(_ access: AccessAttributes) throws(SystemError) {
        let name = ".access-check"
        try remove(name)
        let file = try openFile(named: name, access: .create)
        // The caller receives the error of the check, not an error of the removal.
        defer { _ = try? remove(name) }
        try file.setAccess(access, from: file.information())
    }
}

extension Directory {
    /// Writes a small file atomically and durably: after a crash it is either complete or absent.
    ///
    /// The bytes go to a file `.<name>.tmp`, which is synchronised and renamed; then the folder is synchronised. A
    /// crash may leave the temporary file behind. The next write of the same file removes it.
    ///
    /// - Precondition: No two writes of the same name overlap.
    /// - Parameters:
    ///   - mode: The exact permissions of the file; the umask does not apply.
    ///   - requiresMode: Whether a file system that refuses the mode is an error.
    ///   - replacing: Whether to replace an existing file. If false and the name is taken, throws
    ///     ``SystemError/isExists``.
    public func writeDurably(
        _ bytes: [UInt8],
        named name: String,
        mode: UInt32 = 0o600,
        requiresMode: Bool = true,
        replacing: Bool
    ) throws(SystemError) {
        let temporary = ".\(name).tmp"
        do {
            try remove(temporary)
            let file = try openFile(named: temporary, access: .create, mode: 0o600)
            let access = AccessAttributes(permissions: mode, isRequired: requiresMode)
            try file.setAccess(access, from: file.information())
            try file.write(bytes, at: 0)
            try file.synchronize()
            try file.close()
            try rename(temporary, to: self, name, replacing: replacing)
        } catch {
            // The caller receives this error, not an error of the removal.
            _ = try? remove(temporary)
            throw error
        }
        try synchronize()
    }
}
