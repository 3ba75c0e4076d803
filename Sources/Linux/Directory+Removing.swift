import Glibc

extension Directory {
    /// Removes the name of a file or a link; never a folder.
    ///
    /// - Returns: False when there was no such name.
    @discardableResult
    public func remove(_ name: String) throws(SystemError) -> Bool {
        try unlink(name, flags: 0)
    }

    /// Removes an empty folder.
    ///
    /// - Returns: False when there was no such name.
    /// - Throws: `ENOTEMPTY` when something is in it, `ENOTDIR` when it is no folder.
    @discardableResult
    public func removeDirectory(_ name: String) throws(SystemError) -> Bool {
        try unlink(name, flags: AT_REMOVEDIR)
    }

    private func unlink(_ name: String, flags: CInt) throws(SystemError) -> Bool {
        let name = try PathRules.checkedName(name)
        do {
            try descriptor.use("unlinkat") { unlinkat($0, name, flags) }
            return true
        } catch  where error.isMissing {
            return false
        }
    }
}
