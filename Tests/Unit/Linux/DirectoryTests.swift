import Glibc
import Testing

@testable import Linux

@Suite struct DirectoryTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test func missingFoldersAreMadeOnTheWay() throws {
        let made = try folder.directory.openDirectory(relative: "a/b/c", creating: true, mode: 0o750)

        let found = try folder.directory.openDirectory(relative: "a").openDirectory(relative: "b/c")
        #expect(found.identity == made.identity)
        #expect(try folder.directory.information(of: "a").kind == .directory)
    }

    @Test func newFoldersHaveTheirExactAccess() throws {
        let group: UInt32 = geteuid() == 0 ? 4711 : getegid()
        let access = AccessAttributes(permissions: 0o775, group: group)

        _ = try folder.directory.openDirectory(relative: "a/b", creating: true, access: access)

        for (parent, name) in [(folder.directory, "a"), (try folder.directory.openDirectory(relative: "a"), "b")] {
            let found = try parent.information(of: name)
            #expect(found.permissions == 0o775 && found.group == group)
        }
    }

    @Test func aCheckOfTheAccessLeavesNothingBehind() throws {
        try folder.directory.requireAccess(AccessAttributes(permissions: 0o640, group: getegid()))

        #expect(try folder.directory.entries().isEmpty)
    }

    @Test(.enabled(if: geteuid() != 0, "root may give a file to every group"))
    func aGroupThatIsNotTheProcesssIsRefused() throws {
        let result = code { () throws(SystemError) in
            try folder.directory.requireAccess(AccessAttributes(permissions: 0o640, group: 0))
        }

        #expect(result == EPERM)
        #expect(try folder.directory.entries().isEmpty)
    }

    @Test(arguments: [("root", 0), ("0", 0), ("4711", 4711)] as [(String, UInt32)])
    func aGroupIsFoundByNameOrNumber(_ text: String, _ number: UInt32) {
        #expect(SystemGroup(text)?.number == number)
    }

    @Test(arguments: ["", "no such group", "-1", "4294967295", "4294967296", "1a", "root\0x"])
    func anotherTextIsNoGroup(_ text: String) {
        #expect(SystemGroup(text) == nil)
    }

    @Test func aMissingFolderIsNotMadeUnasked() throws {
        #expect(code { () throws(SystemError) in _ = try folder.directory.openDirectory(relative: "a") } == ENOENT)
        #expect(try folder.directory.entries().isEmpty)
    }

    @Test func aFileOnTheWayIsNoFolder() throws {
        try folder.write("x", to: "a")

        let result = code { () throws(SystemError) in
            _ = try folder.directory.openDirectory(relative: "a/b", creating: true)
        }

        #expect(result == ENOTDIR)
    }

    @Test func anExistingFileIsNotCreated() throws {
        try folder.write("mine", to: "name")

        let error = #expect(throws: SystemError.self) {
            try folder.directory.openFile(named: "name", access: .create)
        }

        #expect(error?.isExists == true)
        #expect(try folder.text(of: "name") == "mine")
    }

    @Test func openingForReadingCreatesNoFile() throws {
        for access in [FileAccess.read, .update] {
            #expect(throws: SystemError(code: ENOENT, call: "openat2")) {
                try folder.directory.openFile(named: "name", access: access)
            }
        }
        #expect(try !folder.directory.exists("name"))
    }

    @Test func everyNameIsListedOnce() throws {
        let names = (0..<400).map { "\($0)-" + String(repeating: "n", count: 100) }
        for name in names { _ = try folder.directory.openFile(named: name, access: .create) }

        #expect(try folder.directory.entries().sorted() == names.sorted())
        #expect(try folder.directory.entries().count == 400)
    }

    @Test func aNameThatIsNotUTF8IsLeftOut() throws {
        let alien: [CChar] = folder.path.utf8.map { CChar($0) } + [0x2F, -1, 0]
        try systemCall("mkdir") { mkdir(alien, 0o700) }
        defer { rmdir(alien) }
        try folder.write("x", to: "näme")

        #expect(try folder.directory.entries() == ["näme"])
    }

    @Test func removingTwiceSaysSo() throws {
        try folder.write("x", to: "name")

        #expect(try folder.directory.remove("name"))
        #expect(try !folder.directory.remove("name"))
    }

    @Test func aFolderIsNotRemovedAsAFile() throws {
        _ = try folder.directory.openDirectory(relative: "a", creating: true)

        #expect(code { () throws(SystemError) in try folder.directory.remove("a") } == EISDIR)
    }

    @Test func theFileSystemTellsItsRoom() throws {
        #expect(try folder.directory.freeBytes() > 0)
        // It reports no size, so its free space is unknown, and not none.
        #expect(try Directory(path: "/proc").freeBytes() == .max)
    }

    @Test func twoOpeningsOfOneFolderAreTheSame() throws {
        #expect(try Directory(path: folder.path).identity == folder.directory.identity)
        #expect(try Directory(path: "/").identity != folder.directory.identity)
    }

    @Test func aDurableWriteLeavesNothingElse() throws {
        try folder.directory.writeDurably([1, 2], named: "state", mode: 0o640, replacing: false)
        try folder.directory.writeDurably([3], named: "state", mode: 0o640, replacing: true)

        let file = try folder.directory.openFile(named: "state", access: .read)
        #expect(try file.readToEnd(limit: 9) == [3])
        #expect(try file.information().permissions == 0o640)
        #expect(try folder.directory.entries() == ["state"])
    }

    @Test func theNextDurableWriteRemovesTheRestOfACrashedOne() throws {
        try folder.write("half", to: ".state.tmp")

        try folder.directory.writeDurably([1], named: "state", replacing: false)

        #expect(try folder.directory.entries() == ["state"])
        #expect(try folder.directory.openFile(named: "state", access: .read).readToEnd(limit: 9) == [1])
    }

    @Test func aRefusedDurableWriteLeavesNothingBehind() throws {
        try folder.write("mine", to: "state")

        let error = #expect(throws: SystemError.self) {
            try folder.directory.writeDurably([1], named: "state", replacing: false)
        }

        #expect(error?.isExists == true)
        #expect(try folder.directory.entries() == ["state"])
        #expect(try folder.text(of: "state") == "mine")
    }
}
