import API
import Core
import Linux
import Service
import ServiceSupport
import TestSupport
import Testing

/// `PATCH {"action": "retry", "force": true}` of a completed download.
@Suite(.hangLimit)
struct ForcedRetryTests {
    private static let (first, second) = (Content(seed: 1, size: 1000), Content(seed: 2, size: 1200))
    private static let force = #"{"action":"retry","force":true}"#

    private static func withFile(
        _ members: String = "",
        _ body: (TestService, Origin, String) async throws -> Void
    ) async throws {
        let origin = Origin(first)
        defer { origin.stop() }
        try await withService { service in
            try await body(service, origin, try await service.complete(origin.url("/a.bin"), members))
        }
    }

    @Test(arguments: ["rename", "overwrite", "fail"])
    func theNewFileReplacesTheOldOne(_ policy: String) async throws {
        try await Self.withFile(#","on_conflict":"\#(policy)""#) { service, origin, id in
            origin.serve("/a.bin", Self.second)
            let answer = try await service.request("PATCH", "/downloads/\(id)", Self.force)
            #expect(answer.status == 200)
            #expect(try answer.json["counters"]?["run"]?.integer == 2)
            let done = try await service.wait(id, .completed, .failed)

            #expect(done.state == .completed && done.file?.path == "a.bin" && done.keptFile == nil)
            #expect(try service.files == ["a.bin"])
            #expect(Self.second.matches(fileAt: service.folder("downloads/a.bin")))
            #expect(try await service.request("GET", "/downloads/\(id)/file").body == Self.second.allBytes)
        }
    }

    /// A mount gives the file system another device number; a restored copy has another inode.
    enum Renumbering: CaseIterable {
        case device, inode, both

        func apply(to service: TestService) async throws {
            if self != .inode { try await service.store.execute("UPDATE download SET file_device = file_device + 1") }
            guard self != .device else { return }
            let old = try Directory(path: service.folder("downloads")).information(of: "a.bin")
            try await service.store.execute("UPDATE download SET file_inode = file_inode + 1")
            service.folder.touch("downloads/a.bin", nanoseconds: old.modifiedNanoseconds)
        }
    }

    @Test(arguments: Renumbering.allCases)
    func theOldFileIsKnownByItsContent(_ renumbering: Renumbering) async throws {
        try await Self.withFile { service, origin, id in
            try await renumbering.apply(to: service)
            origin.serve("/a.bin", Self.second)
            _ = try await service.request("PATCH", "/downloads/\(id)", Self.force)
            let done = try await service.wait(id, .completed, .failed)

            #expect(done.file?.path == "a.bin")
            #expect(try service.files == ["a.bin"])
        }
    }

    @Test func aRunThatFailsLeavesTheOldFile() async throws {
        try await Self.withFile { service, origin, id in
            origin.serve("/a.bin", Self.second, script: [.page(410)])
            _ = try await service.request("PATCH", "/downloads/\(id)", Self.force)
            try await service.wait(id, .failed)
            let shown = try await service.request("GET", "/downloads/\(id)").json

            #expect(shown["file"]?["path"]?.text == "a.bin")
            #expect(shown["error"]?["message"]?.text?.contains("still at 'a.bin'") == true)
            #expect(Self.first.matches(fileAt: service.folder("downloads/a.bin")))
            #expect(try await service.request("DELETE", "/downloads/\(id)").status == 204)
            #expect(try service.files == [])
        }
    }

    @Test func aStrangersFileInItsPlaceIsKept() async throws {
        try await Self.withFile { service, origin, id in
            origin.serve("/a.bin", Self.second)
            try Directory(path: service.folder("downloads")).remove("a.bin")
            service.folder.write("strange", to: "downloads/a.bin")
            _ = try await service.request("PATCH", "/downloads/\(id)", Self.force)
            let done = try await service.wait(id, .completed, .failed)

            #expect(done.file?.path == "a (1).bin")
            #expect(try service.files == ["a (1).bin", "a.bin"])
        }
    }

    @Test func withoutForceTheRefusalSaysHow() async throws {
        try await Self.withFile { service, _, id in
            let refused = try await service.request("PATCH", "/downloads/\(id)", #"{"action":"retry"}"#)
            let misplaced = try await service.request("PATCH", "/downloads/\(id)", #"{"force":true}"#)

            #expect(refused.status == 409 && refused.problem == "invalid-transition")
            #expect(try refused.json["detail"]?.text?.contains("\"force\"") == true)
            #expect(misplaced.status == 400 && misplaced.pointers == ["/force"])
        }
    }
}
