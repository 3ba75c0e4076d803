package import Core
package import Linux
package import Transfer

/// A folder of finished files outside the data folder. Its part files are in `.cormorant`, so that a finished file is
/// moved and not copied.
///
/// At the first use the service writes a random id into the folder, and the same id into the data folder. Later it uses
/// the folder only if both agree. So nothing is written below the mount point of a disk that is not mounted.
package struct RootFolder {
    let name: RootName
    let path: String
    /// The folder with the ids of the used roots.
    let records: Directory
    let recordsPath: String
    /// The access that finished files need.
    let access: AccessAttributes
    let registry: RootRegistry

    package init(
        name: RootName,
        path: String,
        records: Directory,
        recordsPath: String,
        access: AccessAttributes,
        registry: RootRegistry
    ) {
        (self.name, self.path, self.records, self.recordsPath) = (name, path, records, recordsPath)
        (self.access, self.registry) = (access, registry)
    }

    /// The folder of ``records`` in the data folder.
    static let records = "roots"
    private static let own = ".cormorant"
    private static let marker = "id"
    private static let lock = "lock"

    /// The subject of a message to the operator.
    var title: String { Self.title(of: name) }

    static func title(of name: RootName) -> String {
        name == .downloads ? "the folder downloads_dir" : "the root '\(name.text)'"
    }

    /// The root, which opens the folder later if it is not open now.
    package func root(opened: Folders?) -> Root {
        Root(name, folders: opened, isCurrent: isCurrent) { () throws(RootUnavailable) in
            do throws(RootFault) {
                return try open()
            } catch {
                throw RootUnavailable(name, "it \(error.reason)")
            }
        }
    }

    /// Whether ``path`` leads to these folders, with the mark of this root.
    private func isCurrent(_ folders: Folders) -> Bool {
        do throws(SystemError) {
            let folder = try Directory(path: path)
            guard folder.identity == folders.downloads.identity else { return false }
            let mark = try Self.text(Self.marker, in: folder.openDirectory(relative: Self.own))
            return try mark == Self.text(recordName, in: records)
        } catch {
            // Nothing is known if the process is short of descriptors.
            return error.isOutOfDescriptors
        }
    }

    /// Opens, checks and locks the folder. Its first use marks it. If it was open before, this ends.
    package func open() throws(RootFault) -> Folders {
        registry.remove(name)
        let known = try checking("has no readable record in '\(recordsPath)'", isUsed: true) { () throws(SystemError) in
            try Self.text(recordName, in: records)
        }
        let isUsed = known != nil
        let folder = try checking("cannot be opened", isUsed: isUsed) { () throws(SystemError) in
            try Directory(path: path)
        }
        try registry.add(folder, of: name)
        do throws(RootFault) {
            return try folders(in: folder, known: known)
        } catch {
            registry.remove(name)
            throw error
        }
    }

    /// The folders, after the marks were compared.
    private func folders(in folder: Directory, known: String?) throws(RootFault) -> Folders {
        let isUsed = known != nil
        let found = try checking("has no readable mark", isUsed: isUsed) { () throws(SystemError) in
            do throws(SystemError) {
                return try Self.text(Self.marker, in: folder.openDirectory(relative: Self.own))
            } catch  where error.isMissing {
                return nil
            }
        }
        if isUsed, found != known {
            let what = found == nil ? "does not contain its marker file" : "contains the marker file of another folder"
            throw .unavailable("\(what); mount its disk, or remove its record '\(recordName)' to use it as it is")
        }
        return try checking("cannot be written to", isUsed: isUsed) { () throws in
            // A file system may keep no permissions, such as CIFS and exFAT.
            let optional = AccessAttributes(permissions: 0o700, isRequired: false)
            let parts = try folder.openDirectory(relative: Self.own, creating: true, access: optional)
            guard parts.identity.device == folder.identity.device else {
                throw RootFault.refused(.config, "and its folder '\(Self.own)' must be on the same file system")
            }
            let lock = try Self.locked(parts)
            do {
                let abilities = try parts.probeAbilities()
                // Where permissions and groups cannot be set, the files keep those of the file system.
                var access = access
                access.isRequired = abilities.permissions && abilities.groups
                try folder.requireAccess(access)
                let mark = try found ?? RandomBytes.hexadecimal(count: 16)
                // The mark comes first: a folder with a mark and no record may be used, one without its mark may not.
                if found == nil { try Self.write(mark, to: Self.marker, in: parts) }
                if known == nil { try Self.write(mark, to: recordName, in: records) }
                registry.keep(lock, of: name)
                return Folders(downloads: folder, parts: parts, abilities: abilities)
            } catch {
                lock.release()
                throw error
            }
        }
    }

    /// No name of a root begins with an underscore.
    private var recordName: String { name == .downloads ? "_downloads" : name.text }

    /// Runs `body`, and maps its errors.
    ///
    /// - Parameters:
    ///   - what: What is wrong if a call fails.
    ///   - isUsed: Whether the folder was used before. Then its disk may be missing for a while.
    private func checking<Value>(
        _ what: String,
        isUsed: Bool,
        _ body: () throws -> Value
    ) throws(RootFault) -> Value {
        do {
            return try body()
        } catch let fault as RootFault {
            throw fault
        } catch let error as SystemError {
            let reason = "\(what): \(error.message)"
            let mayPass = isUsed || error.isOutOfSpace || error.isOutOfDescriptors
            throw mayPass ? .unavailable(reason) : .refused(ExitStatus(opening: error), reason)
        } catch {
            throw .unavailable("\(what): \(error)")
        }
    }

    private static func locked(_ parts: Directory) throws -> FileLock {
        do throws(FileLockError) {
            return try FileLock.acquire(lock, in: parts)
        } catch {
            switch error {
            case .held: throw RootFault.refused(.unavailable, "is in use: \(error)")
            case .unavailable(let error): throw error
            }
        }
    }

    private static func write(_ text: String, to name: String, in folder: Directory) throws(SystemError) {
        try folder.writeDurably(Array("\(text)\n".utf8), named: name, requiresMode: false, replacing: true)
    }

    /// The first line of a small file; nil if there is none.
    private static func text(_ name: String, in folder: Directory) throws(SystemError) -> String? {
        do throws(SystemError) {
            let bytes = try folder.openFile(named: name, access: .read).readToEnd(limit: 256)
            let text = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            return text.isEmpty ? nil : text
        } catch  where error.isMissing {
            return nil
        }
    }
}
