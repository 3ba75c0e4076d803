import Glibc
import Testing

@testable import Linux

/// The ways to rename without replacing, held to the same claims.
@Suite struct RenamingTests {
    enum Way: CaseIterable {
        case kernel
        case linking
        case reserving

        func rename(_ name: String, to newName: String, _ from: Directory, _ to: Directory) throws(SystemError) {
            switch self {
            case .kernel: try from.rename(name, to: to, newName, replacing: false)
            case .linking: try from.renameByLinking(name, to: to, newName)
            case .reserving: try from.renameByReserving(name, to: to, newName)
            }
        }
    }

    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: Way.allCases)
    func theFileMovesWhole(_ way: Way) throws {
        try folder.write("bytes", to: "part")
        let target = try folder.directory.openDirectory(relative: "done", creating: true)
        let before = try folder.directory.information(of: "part").identity

        try way.rename("part", to: "file", folder.directory, target)

        #expect(try target.information(of: "file").identity == before)
        #expect(try !folder.directory.exists("part"))
    }

    @Test(arguments: Way.allCases)
    func anExistingFileIsKept(_ way: Way) throws {
        try folder.write("new", to: "part")
        try folder.write("old", to: "file")

        let error = #expect(throws: SystemError.self) {
            try way.rename("part", to: "file", folder.directory, folder.directory)
        }

        #expect(error?.isExists == true)
        #expect(try folder.text(of: "file") == "old")
        #expect(try folder.text(of: "part") == "new")
    }

    @Test(arguments: Way.allCases)
    func aDanglingLinkIsKept(_ way: Way) throws {
        try folder.write("new", to: "part")
        try folder.link("file", to: "nowhere")

        let error = #expect(throws: SystemError.self) {
            try way.rename("part", to: "file", folder.directory, folder.directory)
        }

        #expect(error?.isExists == true)
        #expect(try folder.directory.information(of: "file").kind == .symbolicLink)
    }

    @Test(arguments: Way.allCases)
    func aMissingFileIsAnError(_ way: Way) throws {
        #expect(
            code { () throws(SystemError) in
                try way.rename("part", to: "file", folder.directory, folder.directory)
            } == ENOENT
        )
    }

    @Test(arguments: ["..", "a/b", "b\0"])
    func linkingHoldsNamesToTheSameRules(_ name: String) throws {
        try folder.write("new", to: "part")

        #expect(
            code { () throws(SystemError) in
                try Way.linking.rename("part", to: name, folder.directory, folder.directory)
            } == EINVAL
        )
        #expect(try folder.directory.entries() == ["part"])
    }

    @Test func replacingReplaces() throws {
        try folder.write("new", to: "part")
        try folder.write("old", to: "file")

        try folder.directory.rename("part", to: folder.directory, "file", replacing: true)

        #expect(try folder.text(of: "file") == "new")
        #expect(try folder.directory.entries() == ["file"])
    }

    @Test func anotherFileSystemIsRefused() throws {
        try folder.write("new", to: "part")
        let shared = try Directory(path: "/dev/shm")
        try #require(shared.identity.device != folder.directory.identity.device)

        let refusal = code { () throws(SystemError) in
            try folder.directory.rename("part", to: shared, "linux-tests-never", replacing: false)
        }

        #expect(refusal == EXDEV)
        #expect(try folder.text(of: "part") == "new")
    }
}
