extension FileLock {
    /// Takes the lock on a file of a folder that its last holder removes (``releaseRemoving(_:in:)``), so that nothing
    /// is left in a folder of the user's.
    ///
    /// Between opening the file and locking it, its holder may have removed it, and a third process may have made
    /// another of that name. So the lock counts only when the name still leads to the locked file.
    public static func take(_ name: String, in directory: Directory) throws(FileLockError) -> FileLock {
        while true {
            let file = try available { () throws(SystemError) in
                try directory.openFile(named: name, access: .createIfMissing)
            }
            let lock = try FileLock(file)
            if try available({ () throws(SystemError) in try directory.leads(name, to: file) }) { return lock }
            lock.release()
        }
    }

    /// Removes the file, while the lock is still held, and lets others have it.
    public func releaseRemoving(_ name: String, in directory: Directory) {
        // A file that is left over costs nothing: the next holder removes it.
        _ = try? directory.remove(name)
        release()
    }
}

extension Directory {
    fileprivate func leads(_ name: String, to file: File) throws(SystemError) -> Bool {
        let identity = try file.information().identity
        do {
            return try information(of: name).identity == identity
        } catch  where error.isMissing {
            return false
        }
    }
}
