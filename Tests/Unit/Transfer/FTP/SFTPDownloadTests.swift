import Core
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Files from an SFTP server: whole, and continued.
@Suite(.hangLimit)
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
                #expect(folder.failure?.error.message.hasPrefix("The SSH connection failed: ") == true)
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

            #expect(outcomes.contains { $0.errorCode == .connectFailed && $0.madeProgress })
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

    /// What `known_hosts` says of a server with these types of keys, and whether the file comes.
    enum Knowledge: CaseIterable {
        case asScanned, byPattern, revoked, revokedForAll, onlyAnotherKey, onlyAnotherHost

        func lines(_ server: SFTPServer) -> [String] {
            let host = "[127.0.0.1]:\(server.port)"
            let all = server.keys.map { "\(host) \($0)" }
            switch self {
            case .asScanned: return ["# \(host) SSH-2.0"] + all
            case .byPattern: return server.keys.map { "[127.0.0.*]:\(server.port) \($0)" }
            case .revoked: return all + server.keys.map { "@revoked \(host) \($0)" }
            case .revokedForAll: return server.keys.map { "@revoked * \($0)" } + all
            case .onlyAnotherKey:
                return ["\(host) ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]
            case .onlyAnotherHost: return server.keys.map { "[127.0.0.2]:\(server.port) \($0)" }
            }
        }

        var isTrusted: Bool { self == .asScanned || self == .byPattern }
    }

    @Test(arguments: Knowledge.allCases)
    func aServerIsTrustedByItsBestKnownKey(_ knowledge: Knowledge) async throws {
        let types = ["ssh-rsa", "ecdsa-sha2-nistp256", "ssh-ed25519"]
        let server = try await SFTPServer(["file.bin": Self.content], keyTypes: types)
        server.know(knowledge.lines(server))
        let settings = Change<EngineSettings>.change { $0.knownHostsFile = server.knownHostsFile }
        let credentials = RequestCredentials(user: SFTPServer.user, password: SFTPServer.password)
        try await withBench(Self.content, settings: settings) { bench in
            let outcome = await bench.attempt(try bench.assignment(server.url(), credentials: credentials))

            #expect(bench.holds(outcome.file) == knowledge.isTrusted, "\(outcome)")
            guard !knowledge.isTrusted else { return }
            #expect(outcome.errorCode == .hostKeyRejected)
            #expect(outcome.failure?.failureClass == .permanent)
        }
    }

    /// Whether it works depends on the library; if not, the reason is said at once.
    @Test func aServerOfWhichOnlyAnRSAKeyIsKnownIsFetchedFromOrRefusedWithTheReason() async throws {
        let server = try await SFTPServer(["file.bin": Self.content], keyTypes: ["ssh-ed25519", "ssh-rsa"])
        server.know(["[127.0.0.1]:\(server.port) \(server.keys[1])"])
        let settings = Change<EngineSettings>.change { $0.knownHostsFile = server.knownHostsFile }
        let credentials = RequestCredentials(user: SFTPServer.user, password: SFTPServer.password)
        try await withBench(Self.content, settings: settings) { bench in
            let outcome = await bench.attempt(try bench.assignment(server.url(), credentials: credentials))

            guard !bench.holds(outcome.file) else { return }
            #expect(outcome.errorCode == .hostKeyRejected)
            #expect(outcome.failure?.error.message.contains("RSA") == true, "\(outcome)")
        }
    }
}
