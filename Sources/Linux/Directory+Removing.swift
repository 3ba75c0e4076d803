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

    /// Removes whatever has a name: a folder with all that is in it. No link is followed.
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
