import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Files from an SFTP server: whole, and continued.
@Suite(.timeLimit(.minutes(5)))
struct SFTPDownloadTests {
    private static let content = Content(size: 1_500_000)

    private static func withServer(
        limit: Int64? = nil,
        _ body: (SFTPServer, Bench, RequestCredentials) async throws -> Void
    ) async throws {
        let server = try await SFTPServer(["file.bin": content, "folder/file.bin": content], limit: limit)
        let settings = Change<EngineSettings>.change { $0.knownHostsFile = server.knownHostsFile }
        let credentials = RequestCredentials(user: SFTPServer.user, password: SFTPServer.password)
        try await withBench(content, settings: settings) { try await body(server, $0, credentials) }
    }

    @Test func aFileComesWhole() async throws {
        try await Self.withServer { server, bench, credentials in
            let outcome = await bench.attempt(try bench.assignment(server.url(), credentials: credentials))

            #expect(bench.holds(outcome.file))
        }
    }

    @Test func foldersThatAreTakenForFilesDoNotBlockTheirHost() async throws {
        try await Self.withServer { server, bench, credentials in
            for _ in 0..<8 {
                let folder = await bench.attempt(try bench.assignment(server.url("folder"), credentials: credentials))
                #expect(folder.failure != nil)
            }
            let outcome = await bench.attempt(try bench.assignment(server.url(), credentials: credentials))

            #expect(bench.holds(outcome.file))
        }
    }

    /// After each drop the rest is requested, and the whole file is compared once more at its end.
    @Test func afterADropOnlyTheRestIsFetched() async throws {
        try await Self.withServer(limit: 900_000) { server, bench, credentials in
            let checkpointSink = MemoryCheckpointSink()
            let assignment = try bench.assignment(server.url(), credentials: credentials)
            let outcomes = await bench.attempts(assignment, checkpointSink)

            #expect(outcomes.first?.errorCode == .connectFailed)
            #expect(outcomes.first?.madeProgress == true)
            #expect(bench.holds(outcomes.last?.file))
            #expect(checkpointSink.restarts.isEmpty)
        }
    }

    /// Each byte is stored, and the process ended before it published the file.
    @Test(arguments: [1_500_000, 1_499_999] as [Int64])
    func aFileWhoseBytesAreStoredIsNotFetchedAgain(_ durable: Int64) async throws {
        try await Self.withServer { server, bench, credentials in
            let checkpointSink = MemoryCheckpointSink()
            var assignment = try bench.assignment(server.url(), credentials: credentials)
            assignment.download.source = bench.content.source(finalURL: DownloadURL(normalized: server.url()))
            assignment.download.source.etag = nil
            let size = Self.content.size
            assignment.download.progress = .init(durableBytes: durable, totalBytes: size)
            assignment.segments = [Segment(index: 0, start: 0, end: size, durableEnd: durable)]
            try bench.write(Self.content.bytes(in: 0..<durable), to: assignment.part)
            let outcomes = await bench.attempts(assignment, checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.count == 1 && checkpointSink.restarts.isEmpty)
        }
    }
}
