import Core
import Linux
import TestSupport
import Testing
import Transfer

@testable import Application

/// The folders of `downloads_dir` and `roots`, as they are found at a start.
@Suite
struct RootFolderTests {
    private let folder = TemporaryFolder()
    private var data: String { folder("data") }

    private func settings(_ flags: [String: String]) throws -> Settings {
        try SettingsResolver(flags: flags.merging(["data_dir": data]) { first, _ in first }).resolve().settings
    }

    private func open(_ roots: String, _ flags: [String: String] = [:]) throws -> DataFolder {
        try DataFolder(settings(flags.merging(["roots": roots]) { first, _ in first }))
    }

    private func refusal(_ roots: String, _ flags: [String: String] = [:]) throws -> String? {
        let error = #expect(throws: CommandFailure.self) { try open(roots, flags) }
        return error?.text
    }

    /// Opens a root that was not there at the start.
    private func isOpen(_ name: RootName, in data: DataFolder) -> Bool {
        data.roots.list.contains { $0.name == name } && !data.roots.unavailable.contains { $0.root.name == name }
    }

    @Test func withoutSettingsTheOnlyRootIsInTheDataFolder() throws {
        let data = try DataFolder(settings([:]))
        defer { data.release() }

        #expect(data.roots.list.map(\.name) == [.downloads])
        #expect(
            try Directory(path: folder("data")).entries().sorted() == ["downloads", "lock", "parts", "reserve", "tmp"]
        )
    }

    @Test func aRootIsMarkedAtItsFirstUseAndFoundAgain() throws {
        let media = try #require(RootName("media"))
        let path = folder.makeFolder("media")
        for _ in 0..<2 {
            let data = try open("media=\(path)")
            #expect(isOpen(media, in: data))
            data.release()
        }

        let marks = try [("media/.cormorant", "id"), ("data/roots", "media")].map { place, name in
            try Directory(path: folder(place)).openFile(named: name, access: .read).readToEnd(limit: 100)
        }
        #expect(marks[0] == marks[1] && marks[0].count == 33)
    }

    /// As when the disk is not mounted: the mount point is an empty folder.
    @Test func aUsedRootWithoutItsMarkIsNotUsed() throws {
        let media = try #require(RootName("media"))
        let path = folder.makeFolder("media")
        try open("media=\(path)").release()
        try Directory(path: path).removeAll(".cormorant")

        let data = try open("media=\(path)")
        #expect(!isOpen(media, in: data))
        #expect(data.roots.unavailable.first?.reason.hasPrefix("does not contain its marker file") == true)
        #expect(try Directory(path: path).entries().isEmpty)
        data.release()

        // The operator wants the folder as it is.
        _ = try Directory(path: folder("data/roots")).remove("media")
        let again = try open("media=\(path)")
        #expect(isOpen(media, in: again))
        again.release()
    }

    @Test func anotherFolderInTheRootsPlaceIsNotUsed() throws {
        let media = try #require(RootName("media"))
        let (path, other) = (folder.makeFolder("media"), folder.makeFolder("other"))
        try open("media=\(path)").release()
        try open("other=\(other)").release()

        let data = try open("media=\(other)")
        #expect(!isOpen(media, in: data))
        #expect(data.roots.unavailable.first?.reason.hasPrefix("contains the marker file of another") == true)
        data.release()
    }

    @Test func aUsedRootThatIsGoneIsAwaited() throws {
        let media = try #require(RootName("media"))
        let path = folder.makeFolder("media")
        try open("media=\(path)").release()
        try Directory(path: folder.path).removeAll("media")

        let data = try open("media=\(path)")
        #expect(!isOpen(media, in: data))
        data.release()
    }

    @Test func downloadsMayGoToAnotherFolder() throws {
        let path = folder.makeFolder("files")
        let data = try DataFolder(settings(["downloads_dir": path]))
        defer { data.release() }

        #expect(isOpen(.downloads, in: data))
        #expect(try Directory(path: path).entries() == [".cormorant"])
        #expect(try !Directory(path: folder("data")).exists("downloads"))
    }

    @Test func aRootMayBeALink() throws {
        folder.link("link", to: folder.makeFolder("media"))
        let data = try open("media=\(folder("link"))")
        defer { data.release() }

        #expect(data.roots.unavailable.isEmpty)
        #expect(try Directory(path: folder("media")).exists(".cormorant"))
    }

    @Test func foldersThatCannotBeRootsAreRefused() throws {
        let path = folder.makeFolder("media")
        folder.makeFolder("media/inner")
        folder.link("link", to: path)
        folder.makeFolder("data")
        folder.makeFolder("data/own")

        #expect(try refusal("media=\(path)", ["downloads_dir": folder("none")])?.contains("cannot be opened") == true)
        #expect(try refusal("a=\(path),b=\(folder("link"))")?.contains("is the same folder as the root 'a'") == true)
        #expect(try refusal("a=\(path),b=\(folder("media/inner"))")?.contains("inside each other") == true)
        #expect(try refusal("b=\(folder("media/inner")),a=\(path)")?.contains("inside each other") == true)
        #expect(try refusal("a=\(folder("data/own"))")?.contains("inside the data folder") == true)
        #expect(try refusal("a=\(folder.path)")?.contains("contains the data folder") == true)
        #expect(try refusal("a=\(folder("data"))")?.contains("contains the data folder") == true)
        #expect(try refusal("a=\(path)", ["downloads_dir": path])?.contains("is the same folder") == true)
    }

    /// Why a named root cannot be used, while the service starts without it.
    private func fault(_ roots: String, _ flags: [String: String] = [:]) throws -> String? {
        let data = try open(roots, flags)
        defer { data.release() }
        return data.roots.unavailable.first?.reason
    }

    @Test func aNamedRootThatCannotBeUsedDoesNotPreventTheStart() throws {
        let missing = try fault("media=\(folder("none"))")
        folder.write("text", to: "file")
        let file = try fault("media=\(folder("file"))")

        #expect(missing?.contains("cannot be opened") == true)
        #expect(file?.contains("cannot be opened") == true)
    }

    @Test func aRootOfAnotherServiceIsNotUsed() throws {
        let path = folder.makeFolder("media")
        let first = try open("media=\(path)")

        #expect(try fault("media=\(path)", ["data_dir": folder("second")])?.contains("is in use") == true)
        first.release()
        try open("media=\(path)", ["data_dir": folder("second")]).release()
    }

    @Test(arguments: [
        ("roots", "media"), ("roots", "media="), ("roots", "Media=/srv"), ("roots", "=/srv"),
        ("roots", "a=/srv/a,a=/srv/b"), ("downloads_dir", ""),
    ])
    func aSettingThatNamesNoFolderIsRefused(_ key: String, _ text: String) {
        #expect(throws: SettingsError.self) { try SettingsResolver(flags: [key: text]).resolve() }
    }

    @Test func theFileListsRootsAsAnObject() throws {
        let json = Array(#"{"roots": {"media": "/srv/media", "iso": "/srv/a=b"}}"#.utf8)
        let settings = try SettingsResolver(file: SettingsFile(path: "f", json: json)).resolve().settings

        #expect(settings.roots.map(\.description) == ["media=/srv/media", "iso=/srv/a=b"])
        #expect(throws: SettingsError.self) {
            try SettingsFile(path: "f", json: Array(#"{"roots": {"media": "/srv/a,b"}}"#.utf8))
        }
        #expect(throws: SettingsError.self) {
            try SettingsFile(path: "f", json: Array(#"{"roots": {"media": 1}}"#.utf8))
        }
    }
}
