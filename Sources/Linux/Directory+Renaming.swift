import CLinux
import Glibc

extension Directory {
    /// Gives a file another name, here or in another folder of the same file system.
    ///
    /// Atomic for everyone who looks; durable when both folders were synchronised.
    /// - Parameter replacing: Whether a file that has the new name gives way. If not, and it is taken, the
    ///   call throws ``SystemError/isExists`` and both files stay.
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
            // rename(2): EINVAL where the file system does not support the flag.
            try renameByLinking(name, to: directory, newName)
        }
    }

    /// The same promise from older means: a new link never replaces, then the old name goes.
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
