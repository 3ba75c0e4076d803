import API
import Core
import Linux
import Service
import ServiceSupport
import Store
import TestSupport
import Testing

/// `PATCH /downloads/{id}` of session, place and expectations.
@Suite(.hangLimit)
struct PlaceChangeTests {
    private static func withDownload(
        _ members: String = "",
        _ body: (TestService, String) async throws -> Void
    ) async throws {
        try await withService(.with { $0.runsScheduler = false }) { service in
            try await body(service, "/downloads/\(try await service.add("http://a.example/f", members))")
        }
    }

    @Test func placeSessionAndExpectationsCanBeChanged() async throws {
        try await Self.withDownload(#","session":"s","filename":"a.bin""#) { service, path in
            let changed = try await service.request(
                "PATCH",
                path,
                #"{"session":"t","directory":"b/c","filename":null,"expected":{"size_bytes":7}}"#
            )
            let shown = try changed.json
            let sessions = try await service.request("GET", "/sessions").json["items"]?.items ?? []

            #expect(changed.status == 200)
            #expect(shown["session"]?.text == "t" && shown["directory"]?.text == "b/c")
            #expect(shown["filename"] == .null && shown["expected"]?["size_bytes"]?.integer == 7)
            #expect(sessions.map { $0["open_count"]?.integer } == [0, 1])
        }
    }

    @Test func aSealedSessionAndAnUnknownWebhookRefuseAChange() async throws {
        try await Self.withDownload { service, path in
            _ = try await service.request("PUT", "/sessions/t", "{}")
            _ = try await service.request("PATCH", "/sessions/t", #"{"sealed":true}"#)
            let sealed = try await service.request("PATCH", path, #"{"session":"t"}"#)
            let webhook = WebhookID(first: Timestamp(milliseconds: 0)).text
            let unknown = try await service.request("PATCH", path, #"{"webhook_ids":["\#(webhook)"]}"#)

            #expect(sealed.status == 409 && sealed.problem == "session-sealed")
            #expect(unknown.status == 422 && unknown.pointers == ["/webhook_ids/0"])
        }
    }

    private static let content = Content(seed: 4, size: 1000)

    private static func withFile(
        _ members: String = "",
        _ body: (TestService, String) async throws -> Void
    ) async throws {
        let origin = Origin(content)
        defer { origin.stop() }
        try await withService { service in
            try await body(service, "/downloads/\(try await service.complete(origin.url("/a.bin"), members))")
        }
    }

    @Test(arguments: [
        (#"{"filename":"b.bin"}"#, "b.bin"), (#"{"directory":"x/y"}"#, "x/y/a.bin"),
        (#"{"directory":"x","filename":"b.bin"}"#, "x/b.bin"), (#"{"filename":"a.bin"}"#, "a.bin"),
        (#"{"directory":null,"filename":null}"#, "a.bin"),
    ])
    func theFileOfACompletedDownloadIsMoved(_ patch: String, _ path: String) async throws {
        try await Self.withFile { service, target in
            let moved = try await service.request("PATCH", target, patch)
            let shown = try await service.request("GET", target).json
            let file = try await service.request("GET", target + "/file")

            #expect(moved.status == 200)
            #expect(try moved.json["file"]?["path"]?.text == path)
            #expect(shown["file"]?["path"]?.text == path && shown["file"]?["available"]?.bool == true)
            #expect(shown["name"]?.text == path.split(separator: "/").last.map(String.init))
            #expect(file.status == 200 && file.body == Self.content.allBytes)
            #expect(Self.content.matches(fileAt: service.folder("downloads/\(path)")))
            #expect(try service.files.contains("a.bin") == (path == "a.bin"))
        }
    }

    @Test func aFolderIsLeftAgainAndTheRestOfThePatchIsApplied() async throws {
        try await Self.withFile(#","directory":"x""#) { service, target in
            let moved = try await service.request("PATCH", target, #"{"directory":null,"description":"here"}"#)

            #expect(try moved.json["file"]?["path"]?.text == "a.bin")
            #expect(try moved.json["directory"] == .null && moved.json["description"]?.text == "here")
            #expect(Self.content.matches(fileAt: service.folder("downloads/a.bin")))
        }
    }

    @Test(
        arguments: [
            ("rename", 200, "b (1).bin"), ("overwrite", 200, "b.bin"), ("fail", 409, nil),
        ] as [(String, Int, String?)]
    )
    func aTakenNameIsTreatedAsAtPublishing(_ policy: String, _ status: Int, _ path: String?) async throws {
        try await Self.withFile(#","on_conflict":"\#(policy)""#) { service, target in
            service.folder.write("strange", to: "downloads/b.bin")
            let moved = try await service.request("PATCH", target, #"{"filename":"b.bin"}"#)
            let shown = try await service.request("GET", target).json

            #expect(moved.status == status)
            if status == 409 { #expect(moved.problem == "file-exists") }
            #expect(shown["file"]?["path"]?.text == path ?? "a.bin")
            #expect(Self.content.matches(fileAt: service.folder("downloads/\(path ?? "a.bin")")))
            #expect(try service.files.count == (policy == "overwrite" ? 1 : 2))
        }
    }

    @Test func aMoveThatCannotBeIsRefusedAndChangesNothing() async throws {
        try await Self.withFile { service, target in
            service.folder.write("strange", to: "downloads/plain")
            let folder = try await service.request("PATCH", target, #"{"directory":"plain"}"#)
            let locked = try await service.request("PATCH", target, #"{"filename":"b","url":"http://a.example/"}"#)
            let old = try await service.request("PATCH", target, #"{"filename":"b","expected_revision":1}"#)
            let name = try await service.request("PATCH", target, #"{"filename":"../b"}"#)
            let action = try await service.request("PATCH", target, #"{"filename":"b","action":"pause"}"#)

            #expect(folder.status == 422 && folder.pointers == ["/directory"])
            #expect(locked.status == 409 && locked.pointers == ["/url"])
            #expect(old.status == 409 && old.problem == "revision-mismatch")
            #expect(name.status == 400 && name.pointers == ["/filename"])
            #expect(action.status == 409)
            #expect(try service.files == ["a.bin", "plain"])
            #expect(try await service.store.unfinishedMoves().isEmpty)
            #expect(try await service.request("PATCH", target, #"{"filename":"b"}"#).status == 200)
        }
    }

    @Test func aFileThatIsGoneIsNotMoved() async throws {
        try await Self.withFile { service, target in
            try Directory(path: service.folder("downloads")).remove("a.bin")
            let moved = try await service.request("PATCH", target, #"{"filename":"b"}"#)

            #expect(moved.status == 410 && moved.problem == "file-gone")
            #expect(try await service.store.unfinishedMoves().isEmpty)
        }
    }

    @Test func aPathThatAnotherDownloadHadBelongsToTheMovedFile() async throws {
        let origin = Origin(Self.content)
        defer { origin.stop() }
        try await withService { service in
            let first = try await service.complete(origin.url("/a.bin"))
            let second = try await service.complete(origin.url("/b.bin"))
            try Directory(path: service.folder("downloads")).remove("b.bin")
            let moved = try await service.request("PATCH", "/downloads/\(first)", #"{"filename":"b.bin"}"#)

            #expect(moved.status == 200)
            #expect(try await service.request("GET", "/downloads/\(first)/file").status == 200)
            #expect(try await service.request("GET", "/downloads/\(second)/file").status == 410)
            #expect(try await service.request("DELETE", "/downloads/\(second)").status == 204)
            #expect(try service.files == ["b.bin"])
        }
    }

    @Test func aRepeatedMoveWithAKeyGetsTheFirstAnswer() async throws {
        try await Self.withFile { service, target in
            let key = [("Idempotency-Key", "k")]
            let first = try await service.request("PATCH", target, #"{"filename":"b"}"#, fields: key)
            _ = try await service.request("PATCH", target, #"{"filename":"c"}"#)
            let second = try await service.request("PATCH", target, #"{"filename":"b"}"#, fields: key)

            #expect(second.status == 200 && second.body == first.body)
            #expect(try service.files == ["c"])
        }
    }
}

/// A process that dies while it moves a file.
@Suite(.hangLimit)
struct MoveRecoveryTests {
    private static let content = Content(seed: 5, size: 1000)

    /// How far the dead process came: nothing, the rename, or the link of a rename by link and unlink.
    enum Step: CaseIterable { case recorded, renamed, linked }

    @Test(arguments: Step.allCases)
    func theNextStartFinishesOrForgetsTheMove(_ step: Step) async throws {
        let (folder, time) = (TemporaryFolder(), ManualTime())
        let origin = Origin(Self.content)
        defer { origin.stop() }
        let id = try await withService(folder: folder, time: time) { service in
            try await service.complete(origin.url("/a.bin"))
        }
        let downloadID = try #require(DownloadID(id))
        let store = try Store(.file(folder("cormorant.db")), encode: JSONEncoding.encode)
        let move = FileMove(downloadID, from: "a.bin", to: "x/b.bin")
        let begun = try await store.beginMove(move, Command(timeLimit: .seconds(1)), now: time.now)
        guard case .done = begun else { throw NotReached(expected: "a recorded move", seen: "\(begun)") }
        store.close()
        let downloads = try Directory(path: folder("downloads"))
        let target = try downloads.openDirectory(relative: "x", creating: true, mode: 0o700)
        switch step {
        case .recorded: break
        case .renamed: try downloads.rename("a.bin", to: target, "b.bin", replacing: false)
        case .linked: folder.hardLink("downloads/x/b.bin", to: "downloads/a.bin")
        }

        try await withService(folder: folder, time: time) { service in
            try await service.isReady()
            let shown = try await service.request("GET", "/downloads/\(id)").json
            let path = step == .recorded ? "a.bin" : "x/b.bin"

            #expect(shown["file"]?["path"]?.text == path && shown["file"]?["available"]?.bool == true)
            #expect(shown["directory"]?.text == (step == .recorded ? nil : "x"))
            #expect(Self.content.matches(fileAt: folder("downloads/\(path)")))
            #expect(try service.files.contains("a.bin") == (step == .recorded))
            #expect(try await service.store.unfinishedMoves().isEmpty)
            #expect(try await service.request("GET", "/downloads/\(id)/file").body == Self.content.allBytes)
        }
    }
}
