/// What the file system of a folder can do. It is probed, because the type of a file system does not tell: FUSE and
/// network file systems differ from mount to mount.
public struct FileSystemAbilities: Hashable, Sendable {
    /// A file may have two names (`link(2)`).
    public var hardLinks = false
    /// A rename that never replaces a file (`RENAME_NOREPLACE`).
    public var exclusiveRename = false
    /// A file keeps the permissions that are set.
    public var permissions = false
    /// A file may be given to a group.
    public var groups = false
    /// Space can be allocated before it is written (`fallocate(2)`).
    public var allocation = false
    /// Its size and its free space are reported.
    public var size = false
    /// Names that differ only in case are two files.
    public var caseSensitiveNames = false
    /// The longest name in bytes. File systems that encrypt names have less than the usual ones, and may report more.
    public var longestName = Self.usualLongestName

    /// The longest name of common file systems (`NAME_MAX`).
    public static let usualLongestName = 255

    /// Whether ``Directory/rename(_:to:_:replacing:)`` reserves the new name with an empty file.
    public var renamesByReserving: Bool { !hardLinks && !exclusiveRename }

    /// The words for what it cannot do, as `GET /stats` shows them.
    public var missing: [String] {
        [
            (hardLinks, "hard_links"), (exclusiveRename, "exclusive_rename"), (permissions, "permissions"),
            (groups, "groups"), (allocation, "allocation"), (size, "size"),
            (caseSensitiveNames, "case_sensitive_names"), (longestName >= Self.usualLongestName, "long_names"),
        ]
        .filter { !$0.0 }.map(\.1)
    }
}

extension Directory {
    private static let (probe, otherProbe) = (".ability-check", ".ability-check-2")

    /// Probes with two small files, which are removed again.
    public func probeAbilities() throws(SystemError) -> FileSystemAbilities {
        for name in [Self.probe, Self.otherProbe] { try remove(name) }
        let file = try openFile(named: Self.probe, access: .create)
        defer {
            // What is left is removed by the next probe.
            for name in [Self.probe, Self.otherProbe] { _ = try? remove(name) }
        }
        var abilities = FileSystemAbilities()
        let found = try file.information()
        abilities.groups = can { () throws(SystemError) in try file.setGroup(found.group) }
        abilities.permissions = can { () throws(SystemError) in try file.setPermissions(0o640) }
        let permissions = try file.information().permissions
        if permissions != 0o640 { abilities.permissions = false }
        abilities.allocation = (try? file.allocate(to: 4096)) ?? false
        abilities.size = try fileSystemBytes() != .max
        abilities.caseSensitiveNames = try !exists(Self.probe.uppercased())
        abilities.hardLinks = can { () throws(SystemError) in try linkFile(Self.probe, Self.otherProbe) }
        try remove(Self.otherProbe)
        abilities.longestName = longestName()
        abilities.exclusiveRename = can { () throws(SystemError) in try renameExclusively(Self.probe, Self.otherProbe) }
        return abilities
    }

    private func longestName() -> Int {
        var (works, fails) = (Self.probe.utf8.count, FileSystemAbilities.usualLongestName + 1)
        var length = FileSystemAbilities.usualLongestName
        while works < fails - 1 {
            if canBeNamed(Self.probe + String(repeating: "-", count: length - Self.probe.utf8.count)) {
                works = length
            } else {
                fails = length
            }
            length = (works + fails) / 2
        }
        return works
    }

    /// Whether a name is not too long. A look at it tells that too. Any other failure says nothing about it.
    private func canBeNamed(_ name: String) -> Bool {
        do throws(SystemError) {
            _ = try exists(name)
        } catch {
            return !error.isNameTooLong
        }
        return true
    }

    private func can(_ body: () throws(SystemError) -> Void) -> Bool {
        do throws(SystemError) {
            try body()
            return true
        } catch {
            return false
        }
    }
}
