import API
import Core
import Service
import ServiceSupport
import TestSupport
import Testing

/// Downloads below several roots.
@Suite(.hangLimit)
struct RootTests {
    private static let content = Content(size: 100_000)

    private static var two: TestService.Options { .with { $0.roots = ["media", "iso"] } }

    @Test func eachFileGoesBelowItsRoot() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        try await withService(Self.two) { service in
            let plain = try await service.add(origin.url("/a.bin"))
            let media = try await service.add(origin.url("/a.bin"), #","root":"media","directory":"in""#)
            for id in [plain, media] { try await service.wait(id, .completed) }

            #expect(Self.content.matches(fileAt: service.folder("downloads/a.bin")))
            #expect(Self.content.matches(fileAt: service.folder("media/in/a.bin")))
            #expect(try await service.show(plain)["root"] == .null)
            #expect(try await service.show(media)["root"]?.text == "media")
            #expect(try await service.show(media)["file"]?["path"]?.text == "in/a.bin")
            #expect(try await service.request("GET", "/downloads/\(media)/file").body.count == 100_000)
            #expect(try await service.request("DELETE", "/downloads/\(media)?delete_file=true").status == 204)
            #expect(service.folder.names(in: "media/in").isEmpty)
            #expect(service.folder.names(in: "media/.cormorant").isEmpty)
            #expect(Self.content.matches(fileAt: service.folder("downloads/a.bin")))
        }
    }

    @Test func aNewRunReplacesTheFileBelowItsRoot() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        try await withService(Self.two) { service in
            let id = try await service.complete(origin.url("/a.bin"), #","root":"media""#)
            let second = Content(seed: 2, size: 1200)
            origin.serve("/a.bin", second)
            _ = try await service.request("PATCH", "/downloads/\(id)", #"{"action":"retry","force":true}"#)
            try await service.wait(id, .completed)

            #expect(second.matches(fileAt: service.folder("media/a.bin")))
            #expect(try await service.show(id)["root"]?.text == "media")
            #expect(try await service.request("GET", "/downloads/\(id)/file").body == second.allBytes)
            #expect(try await service.request("DELETE", "/downloads/\(id)").status == 204)
            #expect(service.folder.names(in: "media") == [".cormorant"])
        }
    }

    @Test(arguments: [#""none""#, #""downloads""#])
    func aRootThatDoesNotExistIsRefusedWithThoseThatDo(_ root: String) async throws {
        try await withService(Self.two) { service in
            let body = #"{"url": "http://a.example/f", "root": \#(root)}"#
            let response = try await service.request("POST", "/downloads", body)

            #expect(response.status == 422)
            #expect(response.pointers == ["/root"])
            #expect(try response.json["errors"]?.items.first?["detail"]?.text?.contains(#""iso", "media""#) == true)
        }
    }

    @Test(arguments: [#""Media""#, #""..""#, #""""#, "7"])
    func aTextThatIsNoNameIsRefused(_ root: String) async throws {
        try await withService(Self.two) { service in
            let body = #"{"url": "http://a.example/f", "root": \#(root)}"#
            let response = try await service.request("POST", "/downloads", body)

            #expect(response.status == 400)
            #expect(response.pointers == ["/root"])
        }
    }

    @Test func theRootCanBeChangedUntilTheDownloadBegins() async throws {
        try await withService(.with { ($0.roots, $0.runsScheduler) = (["media"], false) }) { service in
            let id = try await service.add("http://a.example/f")

            let set = try await service.request("PATCH", "/downloads/\(id)", #"{"root": "media"}"#)
            #expect(try set.json["root"]?.text == "media")
            let cleared = try await service.request("PATCH", "/downloads/\(id)", #"{"root": null}"#)
            #expect(try cleared.json["root"] == .null)
            #expect(try await service.request("PATCH", "/downloads/\(id)", #"{"root": "none"}"#).status == 422)
            try await service.store.execute("UPDATE download SET epoch = 1")
            let late = try await service.request("PATCH", "/downloads/\(id)", #"{"root": "media"}"#)
            #expect(late.problem == "field-locked")
            #expect(late.pointers == ["/root"])
        }
    }

    @Test func aDownloadWaitsForItsRootAndTheOthersGoOn() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        let options = Self.two
        options.missingRoots.insert("media")
        defer { options.missingRoots.remove("media") }
        try await withService(options) { service in
            let media = try await service.add(origin.url("/a.bin"), #","root":"media""#)
            let iso = try await service.add(origin.url("/b.bin"), #","root":"iso""#)
            let waiting = try await service.wait(media, .waiting, .failed)
            try await service.wait(iso, .completed)

            #expect(waiting.waitingFor == .io)
            #expect(waiting.error?.error.code == .rootUnavailable)
            #expect(try await service.show(media)["waiting_reason"]?.text?.hasPrefix("The root 'media'") == true)
            let roots = try await service.request("GET", "/stats").json["roots"]?.items
            #expect(roots?.map { $0["root"]?.text } == ["iso", "media"])
            #expect(roots?.map { $0["available"] } == [.bool(true), .bool(false)])

            options.missingRoots.remove("media")
            try await service.advanceClock(by: .seconds(5), until: media, .completed, .failed)
            #expect(Self.content.matches(fileAt: service.folder("media/a.bin")))
        }
    }

    /// After `umount -l`, or a renamed folder, the open folders still work, and nobody would find the file.
    @Test func aReplacedRootFolderReceivesNoFile() async throws {
        let gate = Signal()
        let origin = Origin(Self.content, script: [.pace(.stall(after: 500, until: gate)), .good])
        defer { origin.stop() }
        let options = Self.two
        defer { options.missingRoots.remove("media") }
        try await withService(options) { service in
            let id = try await service.add(origin.url("/a.bin"), #","root":"media""#)
            try await service.wait(id, receives: 500)
            service.folder.rename("media", to: "away")
            options.missingRoots.insert("media")
            gate.fire()
            let waiting = try await service.wait(id, .waiting, .completed, .failed)
            #expect(waiting.waitingFor == .io && waiting.error?.error.code == .rootUnavailable)
            let roots = try await service.request("GET", "/stats").json["roots"]?.items
            #expect(roots?.map { $0["available"] } == [.bool(true), .bool(false)])

            service.folder.rename("away", to: "media")
            options.missingRoots.remove("media")
            try await service.advanceClock(by: .seconds(5), until: id, .completed, .failed)
            #expect(Self.content.matches(fileAt: service.folder("media/a.bin")))
        }
    }

    /// It reports 255 bytes. A move that cannot be carried out would be tried again by each later one.
    @Test(.enabled(if: EncryptedFolder.isAllowed, Comment(rawValue: EncryptedFolder.reason)))
    func theNameOfAMovedFileIsShortenedToWhatTheFileSystemTakes() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let disk = try EncryptedFolder(at: folder.makeFolder("media"))
        defer { withExtendedLifetime(disk) {} }
        try await withService(Self.two, folder: folder) { service in
            let id = try await service.complete(origin.url("/a.bin"), #","root":"media""#)
            let name = String(repeating: "x", count: 200)
            let moved = try await service.request("PATCH", "/downloads/\(id)", #"{"filename":"\#(name).bin"}"#)
            let refused = try await service.request("PATCH", "/downloads/\(id)", #"{"directory":"\#(name)"}"#)
            let short = String(repeating: "x", count: EncryptedFolder.longestName - 4) + ".bin"

            #expect(moved.status == 200)
            #expect(refused.status == 422 && refused.pointers == ["/directory"])
            #expect(try await service.show(id)["file"]?["path"]?.text == short)
            #expect(Self.content.matches(fileAt: service.folder("media/\(short)")))
            #expect(try await service.request("DELETE", "/downloads/\(id)?delete_file=true").status == 204)
        }
    }

    /// What is open on a disk that failed stays dead, also when the disk is back.
    @Test(.enabled(if: ExFATDisk.isAllowed, Comment(rawValue: ExFATDisk.reason)))
    func aDiskThatFailedAndIsBackIsUsedAgain() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let disk = try ExFATDisk(at: folder.makeFolder("media"))
        try await withService(Self.two, folder: folder) { service in
            let first = try await service.complete(origin.url("/a.bin"), #","root":"media""#)
            try disk.fail()
            try disk.mount()
            let file = try await service.request("GET", "/downloads/\(first)/file")
            #expect(file.status == 200)

            try disk.fail()
            let second = try await service.add(origin.url("/b.bin"), #","root":"media""#)
            try await service.wait(second, .waiting, .failed)
            try disk.mount()
            try await service.advanceClock(by: .seconds(5), until: second, .completed, .failed)
            #expect(try await service.record(second).state == .completed)
            #expect(Self.content.matches(fileAt: service.folder("media/b.bin")))
        }
    }

    /// Nothing is lost while the operator has taken a root away.
    @Test func aFinishedFileIsKeptWhileItsRootIsGone() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let id = try await withService(Self.two, folder: folder) { service in
            let id = try await service.add(origin.url("/a.bin"), #","root":"media""#)
            try await service.wait(id, .completed)
            return id
        }
        try await withService(folder: folder) { service in
            let path = "/downloads/\(id)"
            for answer in try await [
                service.request("GET", "\(path)/file"), service.request("DELETE", "\(path)?delete_file=true"),
                service.request("PATCH", path, #"{"filename": "b.bin"}"#),
            ] {
                #expect(answer.status == 503 && answer.problem == "root-unavailable")
                #expect(try answer.json["detail"]?.text?.hasPrefix("The root 'media' is not available: ") == true)
                #expect(answer["retry-after"] == "30")
            }
            let file = try #require(try await service.record(id).file)
            #expect(!file.isMissing && file.path == "a.bin" && file.movingTo == nil)
            #expect(try await service.request("GET", path).json["state"]?.text == "completed")
        }
        try await withService(Self.two, folder: folder) { service in
            let file = try await service.request("GET", "/downloads/\(id)/file")
            #expect(file.status == 200)
        }
    }

    @Test func aRecordCanBeDeletedWhileItsRootIsGone() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        let folder = TemporaryFolder()
        let id = try await withService(Self.two, folder: folder) { service in
            let id = try await service.add(origin.url("/a.bin"), #","root":"media""#)
            try await service.wait(id, .completed)
            return id
        }
        try await withService(folder: folder) { service in
            let deletion = try await service.request("DELETE", "/downloads/\(id)?delete_file=false")
            #expect(deletion.status == 204)
            #expect(try await service.request("GET", "/downloads/\(id)").status == 404)
            #expect(Self.content.matches(fileAt: service.folder("media/a.bin")))
        }
    }
}
