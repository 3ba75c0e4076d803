import Glibc

extension Directory {
    /// Without O_NOFOLLOW, so that a link at the end is refused as `ELOOP` by `RESOLVE_NO_SYMLINKS`, not as `ENOTDIR`.
    private static let flags = O_RDONLY | O_DIRECTORY

    /// Opens a folder further down.
    ///
    /// What is made is made durable too: the folder above each new one is synchronised. A folder that was
    /// found is taken as it is.
    /// - Parameters:
    ///   - path: Relative, may nest: `a/b`.
    ///   - creating: Whether to make what is missing on the way.
    ///   - mode: The permissions of a new folder, exactly: the umask has no say.
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
            // Whatever stands there now, made by us or by another, is held to the same rules.
            current = try current.open(name)
            if isNew { try current.descriptor.use("fchmod") { fchmod($0, mode_t(mode)) } }
        }
        return current
    }

    /// Returns whether it was made; false when the name was taken.
    private func makeDirectory(_ name: String, mode: UInt32) throws(SystemError) -> Bool {
        do {
            try descriptor.use("mkdirat") { mkdirat($0, name, mode_t(mode)) }
            return true
        } catch  where error.isExists {
            return false
        }
    }
}
