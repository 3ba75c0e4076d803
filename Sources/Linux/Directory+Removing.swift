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
}
