import CLinux
import Glibc

extension Directory {
    /// Removes the name of a file or a link; never a folder.
    ///
    /// - Returns: False when there was no such name.
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

    /// Removes whatever has the name: a folder with all its contents. No link is followed.
    ///
    /// - Returns: False when there was no such name.
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
    /// Gives a file another name, here or in another folder of the same file system.
    ///
    /// Atomic; durable once both folders are synchronised.
    /// - Parameter replacing: Whether a file of the new name is replaced. If not, and the name is taken, the call
    ///   throws ``SystemError/isExists`` and both files stay.
    /// - Throws: `EXDEV` when the other folder is on another file system.
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
            try renameByLinking(name, to: directory, newName)
        }
    }

    /// The same by older calls: a new link never replaces a name, then the old name is removed.
    ///
    /// Between the two, and after a crash there, the file has both names. Folders cannot be linked (`EPERM`).
    func renameByLinking(_ name: String, to directory: Directory, _ newName: String) throws(SystemError) {
        let name = try PathRules.checkedName(name)
        let newName = try PathRules.checkedName(newName)
        try withDescriptors(and: directory, "linkat") { linkat($0, name, $1, newName, 0) }
        try remove(name)
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
    /// Makes a small file appear whole and durable, or not at all.
    ///
    /// It is written under the name `.<name>.tmp`, synchronised, renamed, and its folder synchronised. A crash may
    /// leave that name behind; the next write of the same file removes it.
    ///
    /// - Precondition: The files of one name are written one after the other.
    /// - Parameters:
    ///   - mode: The permissions, exactly.
    ///   - replacing: Whether a file of that name is replaced; otherwise ``SystemError/isExists`` is thrown.
    public func writeDurably(
        _ bytes: [UInt8],
        named name: String,
        mode: UInt32 = 0o600,
        replacing: Bool
    ) throws(SystemError) {
        let temporary = ".\(name).tmp"
        do {
            try remove(temporary)
            let file = try openFile(named: temporary, access: .create, mode: 0o600)
            try file.setPermissions(mode)
            try file.write(bytes, at: 0)
            try file.synchronize()
            try file.close()
            try rename(temporary, to: self, name, replacing: replacing)
        } catch {
            // The first error is the one for the caller.
            _ = try? remove(temporary)
            throw error
        }
        try synchronize()
    }
}
