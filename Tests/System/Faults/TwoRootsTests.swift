import API
import Glibc
import ServiceSupport
import TestSupport
import Testing

/// The program with two roots, each on a small file system of its own.
@Suite(.enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.reason)), .hangLimit)
struct TwoRootsTests {
    private static let mebibyte: Int64 = 1 << 20

    private let folder = TemporaryFolder()
    private let one: SmallDisk
    private let two: SmallDisk

    init() throws {
        one = try SmallDisk(bytes: 16 * Self.mebibyte)
        two = try SmallDisk(bytes: 16 * Self.mebibyte)
    }

    private func start() async throws -> ServiceProcess {
        let roots = "one=\(one.folder.path),two=\(two.folder.path)"
        let arguments = ["--roots", roots, "--min-free-bytes", "1MiB", "--resume-free-bytes", "1MiB"]
        return try await ServiceProcess(dataFolder: folder.path, arguments: arguments)
    }

    private func add(_ service: ServiceProcess, _ url: String, _ members: String) async throws -> String {
        let response = try await ServiceClient(port: service.port).post("/downloads", #"{"url":"\#(url)",\#(members)}"#)
        #expect(response.status == 201, "\(response.json)")
        return try #require(response.json["id"]?.text)
    }

    /// Only marks are left beside the files.
    private func expectNoParts() throws {
        for disk in [one, two] { #expect(disk.folder.names(in: ".cormorant") == ["id", "lock"]) }
    }

    @Test func aNameIsTakenBelowOneRootAlone() async throws {
        let content = Content(size: 3 * Self.mebibyte)
        let origin = Origin(content)
        defer { origin.stop() }
        let service = try await start()
        let client = ServiceClient(port: service.port)
        for (root, conflict) in [("one", "fail"), ("two", "fail"), ("two", "rename")] {
            let id = try await add(service, origin.url("/a.bin"), #""root":"\#(root)","on_conflict":"\#(conflict)""#)
            try await client.wait(id, "state", "completed")
        }
        let failed = try await add(service, origin.url("/a.bin"), #""root":"one","on_conflict":"fail""#)
        try await client.wait(failed, "state", "failed")

        #expect(try await client.get("/downloads/\(failed)").json["error"]?["code"]?.text == "file_exists")
        #expect(content.matches(fileAt: one.folder("a.bin")))
        #expect(content.matches(fileAt: two.folder("a.bin")))
        #expect(content.matches(fileAt: two.folder("a (1).bin")))
        #expect(try await service.terminate() == 0)
    }

    @Test func aFullRootDoesNotStopDownloadsOfAnother() async throws {
        let content = Content(size: 4 * Self.mebibyte)
        let origin = Origin(content)
        defer { origin.stop() }
        one.fill("ballast", bytes: 13 * Self.mebibyte)
        let service = try await start()
        let client = ServiceClient(port: service.port)
        let short = try await add(service, origin.url("/a.bin"), #""root":"one""#)
        try await client.wait(short, "waiting_for", "space")
        for number in 0..<3 {
            let id = try await add(service, origin.url("/\(number).bin"), #""root":"two""#)
            try await client.wait(id, "state", "completed")
            #expect(content.matches(fileAt: two.folder("\(number).bin")))
        }
        #expect(try await client.get("/downloads/\(short)").json["state"]?.text == "waiting")
        #expect(!content.matches(fileAt: one.folder("a.bin")))

        one.remove("ballast")
        try await client.wait(short, "state", "completed")
        #expect(content.matches(fileAt: one.folder("a.bin")))
        try expectNoParts()
        #expect(try await service.terminate() == 0)
    }

    @Test(arguments: [1, 2, 4, 7])
    func eachRootIsHealedAfterAKill(_ requests: Int) async throws {
        let contents = (0..<8).map { Content(seed: UInt64($0), size: [100, 300_000, 3 * Self.mebibyte][$0 % 3]) }
        let origin = Origin()
        defer { origin.stop() }
        for (index, content) in contents.enumerated() {
            origin.serve("/\(index)", content, script: [.dropping(after: content.size / 2), .good])
        }
        var service = try await start()
        var ids: [String] = []
        for index in contents.indices {
            let root = index.isMultiple(of: 2) ? "one" : "two"
            let members = #""root":"\#(root)","filename":"\#(index).bin","session":"kill""#
            ids.append(try await add(service, origin.url("/\(index)"), members))
        }
        for moment in [requests, requests + 8] {
            await origin.requests(atLeast: moment)
            try await service.kill()
            service = try await start()
        }
        for id in ids { try await ServiceClient(port: service.port).wait(id, "state", "completed") }

        for (index, content) in contents.enumerated() {
            let disk = index.isMultiple(of: 2) ? one : two
            #expect(content.matches(fileAt: disk.folder("\(index).bin")), "\(index).bin")
        }
        try expectNoParts()
        #expect(try await service.terminate() == 0)
    }

    /// The folder that the disk was mounted on is there, and empty.
    @Test func anUnmountedDiskReceivesNoFile() async throws {
        let content = Content(size: Self.mebibyte)
        let origin = Origin(content)
        defer { origin.stop() }
        let place = folder.makeFolder("place")
        let data = folder.makeFolder("data")
        func started() async throws -> ServiceProcess {
            try await ServiceProcess(
                dataFolder: data,
                arguments: ["--roots", "disk=\(place)", "--min-free-bytes", "0"]
            )
        }
        try #require(mount("tmpfs", place, "tmpfs", 0, "size=16M") == 0)
        var service = try await started()
        let first = try await add(service, origin.url("/a.bin"), #""root":"disk""#)
        try await ServiceClient(port: service.port).wait(first, "state", "completed")
        #expect(try await service.terminate() == 0)
        // A second mount hides the first, as an unmounted disk does.
        try #require(mount("tmpfs", place, "tmpfs", 0, "size=16M") == 0)

        service = try await started()
        let second = try await add(service, origin.url("/b.bin"), #""root":"disk""#)
        try await ServiceClient(port: service.port).wait(second, "waiting_for", "io")
        let waiting = try await ServiceClient(port: service.port).get("/downloads/\(second)").json
        #expect(waiting["error"]?["code"]?.text == "root_unavailable")
        #expect(folder.names(in: "place") == [])
        umount2(place, CInt(MNT_DETACH))
        let resumed = try await HTTPClient(port: service.port).send(
            "PATCH",
            "/downloads/\(second)",
            fields: [("Content-Type", "application/json")],
            body: Array(#"{"action":"resume"}"#.utf8)
        )
        #expect(resumed.status == 200)
        try await ServiceClient(port: service.port).wait(second, "state", "completed")
        #expect(folder.names(in: "place") == [".cormorant", "a.bin", "b.bin"])
        #expect(try await service.terminate() == 0)
        umount2(place, CInt(MNT_DETACH))
    }
}
