import API
import Foundation
import ServiceSupport
import TestSupport
import Testing

/// The program where no folder for temporary files can be written, as in a container with a read-only root.
@Suite(.enabled(if: SmallDisk.isAllowed, Comment(rawValue: SmallDisk.reason)), .hangLimit)
struct TemporaryFolderTests {
    /// Shows the data folder as `/srv` and that of the program as `/mnt`, and empty read-only folders instead of those
    /// that SQLite would use. The program may be below one of these. The mounts are private: in a chroot, whose root is
    /// no mount, they are so from the start.
    private static let script = """
        mount --make-rprivate / 2>/dev/null
        program=/mnt/${1##*/}
        mount --bind "$0" /srv && mount --bind "${1%/*}" /mnt && shift \
            && mount -t tmpfs -o ro none /var/tmp && mount -t tmpfs -o ro none /tmp && cd /tmp && exec "$program" "$@"
        """

    private func start(_ folder: TemporaryFolder) async throws -> ServiceProcess {
        try await ServiceProcess(
            dataFolder: "/srv",
            arguments: [],
            launcher: [
                "/usr/bin/unshare", "--mount", "--propagation", "unchanged", "/bin/sh", "-c", Self.script, folder.path,
            ]
        )
    }

    @Test func batchesAndOperationsNeedNoTemporaryFolderOfTheSystem() async throws {
        let folder = TemporaryFolder()
        let service = try await start(folder)
        let client = ServiceClient(port: service.port)
        let url = "http://127.0.0.1:9/\(String(repeating: "a", count: 200))"
        let items = (0..<1000).map { #"{"url":"\#(url)\#($0)","start":false}"# }.joined(separator: ",")

        let batch = try await client.post("/downloads/batch", #"{"atomic":true,"items":[\#(items)]}"#)
        #expect(batch.status == 201, "\(batch.json)")
        let sorted = try await client.get("/downloads?sort=-created_at&limit=200")
        #expect(sorted.status == 200, "\(sorted.json)")
        let action = try await client.post("/downloads/actions", #"{"action":"cancel","filter":{}}"#)
        let id = try #require(action.json["id"]?.text)
        try await poll("the end of the operation", because: .otherProcess) {
            try await client.get("/operations/\(id)").json["state"]?.text == "finished"
        }
        #expect(try await service.terminate() == 0)
    }

    @Test func temporaryFilesOfAKilledProcessAreRemovedAtTheNextStart() async throws {
        let folder = TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder("tmp"), withIntermediateDirectories: true)
        folder.write("left", to: "tmp/etilqs_0123456789abcdef")

        let service = try await start(folder)

        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("tmp")).isEmpty)
        #expect(try await service.terminate() == 0)
    }
}
