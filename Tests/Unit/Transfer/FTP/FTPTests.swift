import Core
import Linux
import TestSupport
import Testing
import TransferRules
import TransferSupport

@testable import Transfer

/// Files from an FTP server: whole, gone on with, and begun anew.
@Suite(.hangLimit)
struct FTPTests {
    private static let content = Content(size: 1_500_000)

    private static func withServer(
        _ script: [FTPBehaviour],
        content: Content = content,
        settings: Change<EngineSettings> = .nothing,
        _ body: (FTPServer, Bench) async throws -> Void
    ) async throws {
        let server = FTPServer(content, script: script)
        defer { server.stop() }
        try await withBench(content, settings: settings) { try await body(server, $0) }
    }

    @Test(arguments: [0, 1, 1000, 1_500_000] as [Int64])
    func aFileComesWholeWithItsTime(size: Int64) async throws {
        try await Self.withServer([.good], content: Content(size: size)) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcome = await bench.attempt(try bench.assignment(server.url("/pub/file.bin")), checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(outcome.file?.path == "file.bin")
            #expect(checkpointSink.assignment?.download.source.lastModified == bench.content.lastModified)
            let commands = try #require(server.sessions.first)
            #expect(commands.starts(with: ["USER anonymous"]))
            #expect(commands.contains("TYPE I") && commands.contains("CWD pub"))
            #expect(!commands.contains { $0.hasPrefix("REST") || $0.hasPrefix("PORT") || $0.hasPrefix("EPRT") })
            #expect(server.sessions.count == 1)
        }
    }

    @Test func afterADropOnlyTheRestIsAskedForAndTheFileIsAskedAboutOnceMore() async throws {
        let drop = FTPBehaviour { $0.ending = .cut(after: 900_000) }
        try await Self.withServer([drop, .good]) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url()), checkpointSink)

            #expect(outcomes.first?.errorCode == .connectFailed)
            #expect(outcomes.first?.madeProgress == true)
            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.last?.file?.digests == [Self.content.sha256])
            #expect(outcomes.count == 2 && checkpointSink.restarts.isEmpty)
            #expect(server.sessions.count == 3)
            #expect(server.sessions[1].contains("REST 900000"))
            #expect(!server.sessions[2].contains { $0.hasPrefix("RETR") })
        }
    }

    @Test(arguments: [
        ("last_modified_changed", FTPBehaviour { $0.version = 1 }),
        ("validator_missing", FTPBehaviour { $0.tellsSize = false }),
        ("validator_missing", FTPBehaviour { $0.tellsTime = false }),
    ])
    func aFileThatMayHaveChangedRestartsFromZero(_ reason: String, _ later: FTPBehaviour) async throws {
        let drop = FTPBehaviour { $0.ending = .cut(after: 900_000) }
        try await Self.withServer([drop, later]) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url()), checkpointSink)

            #expect(bench.holds(outcomes.last?.file, Self.content.at(version: later.version)))
            #expect(checkpointSink.restarts == [reason])
            #expect(outcomes.count == 2)
        }
    }

    @Test(arguments: [FTPBehaviour { $0.tellsSize = false }, FTPBehaviour { $0.tellsTime = false }])
    func aServerThatTellsTooLittleIsNeverAskedToGoOn(_ behaviour: FTPBehaviour) async throws {
        var drop = behaviour
        drop.ending = .cut(after: 900_000)
        try await Self.withServer([drop, behaviour]) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url()), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(!server.sessions.joined().contains { $0.hasPrefix("REST") })
            #expect(checkpointSink.restarts.count == 1)
        }
    }

    @Test func aServerThatCannotBeginInTheMiddleIsAskedForTheWhole() async throws {
        let drop = FTPBehaviour { $0.ending = .cut(after: 900_000) }
        try await Self.withServer([drop, FTPBehaviour { $0.restart = .refused }]) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url()), checkpointSink)

            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.count == 2)
            #expect(checkpointSink.restarts == ["not_resumable"])
            #expect(checkpointSink.refusedHosts == ["127.0.0.1:\(server.port)"])
        }
    }

    @Test func aFileThatShrankBeginsAnew() async throws {
        try await Self.withServer([.good], content: Content(size: 1000)) { server, bench in
            var assignment = try bench.assignment(server.url())
            let longer = bench.content.resized(to: 5000)
            assignment.download.source = longer.source(finalURL: DownloadURL(normalized: server.url()))
            assignment.download.source.etag = nil
            assignment.download.progress = .init(durableBytes: 3000, totalBytes: 5000)
            assignment.segments = [Segment(index: 0, start: 0, end: 5000, durableEnd: 3000)]
            try bench.write(longer.bytes(in: 0..<3000), to: assignment.part)
            let checkpointSink = MemoryCheckpointSink()

            let outcome = await bench.attempt(assignment, checkpointSink)

            #expect(bench.holds(outcome.file))
            #expect(checkpointSink.restarts == ["total_changed"])
        }
    }

    @Test func bytesThatWereReplacedBetweenWordAndBodyAreNotPublished() async throws {
        let script = [
            FTPBehaviour { $0.ending = .cut(after: 900_000) }, FTPBehaviour { $0.sentVersion = 1 },
            FTPBehaviour { $0.version = 1 },
        ]
        try await Self.withServer(script) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url()), checkpointSink)

            #expect(bench.holds(outcomes.last?.file, Self.content.at(version: 1)))
            #expect(checkpointSink.restarts == ["last_modified_changed"])
        }
    }

    @Test(arguments: [FTPBehaviour { $0.ending = .longer(by: 1) }, FTPBehaviour { $0.ending = .longer(by: 700_000) }])
    func aBodyLongerThanItsSizeIsNoFile(_ behaviour: FTPBehaviour) async throws {
        try await Self.withServer([behaviour]) { server, bench in
            let outcome = await bench.attempt(try bench.assignment(server.url()))

            #expect(outcome.errorCode == .sourceChanged)
            #expect(outcome.failure?.failureClass == .startOver(retries: 2))
            #expect(bench.files.isEmpty)
        }
    }

    @Test func aServerThatIgnoresTheStartIsFoundOut() async throws {
        let drop = FTPBehaviour { $0.ending = .cut(after: 900_000) }
        try await Self.withServer([drop, FTPBehaviour { $0.restart = .ignored }]) { server, bench in
            let outcomes = await bench.attempts(try bench.assignment(server.url()), atMost: 2)

            #expect(outcomes.last?.errorCode == .sourceChanged)
            #expect(bench.files.isEmpty)
        }
    }

    @Test(arguments: [FTPBehaviour.BodyEnd.reply(426), .reply(451), .cut(after: 1000), .longer(by: 1)])
    func aSmallBodyThatDidNotEndWellIsNoFile(_ ending: FTPBehaviour.BodyEnd) async throws {
        try await Self.withServer([FTPBehaviour { $0.ending = ending }, .good], content: Content(size: 1000)) {
            server,
            bench in
            let outcomes = await bench.attempts(try bench.assignment(server.url()), atMost: 1)

            #expect(outcomes.first?.file == nil && bench.files.isEmpty)
            #expect(outcomes.first?.errorCode == (ending == .longer(by: 1) ? .sourceChanged : .connectFailed))
        }
    }

    @Test(arguments: [FTPBehaviour.BodyEnd.short(after: 900_000), .reply(426), .reply(451)])
    func aBodyThatDidNotEndWellIsAskedOn(_ ending: FTPBehaviour.BodyEnd) async throws {
        try await Self.withServer([FTPBehaviour { $0.ending = ending }, .good]) { server, bench in
            let checkpointSink = MemoryCheckpointSink()
            let outcomes = await bench.attempts(try bench.assignment(server.url()), checkpointSink)

            #expect(outcomes.first?.errorCode == .connectFailed)
            #expect(bench.holds(outcomes.last?.file))
            #expect(outcomes.count == 2 && checkpointSink.restarts.isEmpty)
        }
    }

    @Test(arguments: [
        (FTPBehaviour { $0.hasFile = false }, DownloadError.Code.fileNotFound, FailureClass.transient(.notFound)),
        (FTPBehaviour { $0.refusal = 530 }, .authRequired, .permanent),
        (FTPBehaviour { $0.refusal = 421 }, .connectFailed, .transient(.untilGivenUp)),
        (FTPBehaviour { $0.greeting = 421 }, .connectFailed, .transient(.untilGivenUp)),
    ])
    func aRefusalIsWhatItsReplySays(
        _ behaviour: FTPBehaviour,
        _ code: DownloadError.Code,
        _ failureClass: FailureClass
    ) async throws {
        let failure = try await Self.failure(behaviour)

        #expect(failure?.error.code == code)
        #expect(failure?.failureClass == failureClass)
    }

    @Test(arguments: [
        (FTPBehaviour { $0.greeting = 500 }, DownloadError.Code.badResponse, FailureClass.transient(.retries(2))),
        (FTPBehaviour { $0.hangUpAt = "USER" }, .connectFailed, .transient(.untilGivenUp)),
        (FTPBehaviour { $0.hangUpAt = "EPSV" }, .connectFailed, .transient(.untilGivenUp)),
        (FTPBehaviour { $0.hangUpAt = "RETR" }, .connectFailed, .transient(.untilGivenUp)),
    ])
    func troubleWithAServerIsNoTroubleWithHTTP(
        _ behaviour: FTPBehaviour,
        _ code: DownloadError.Code,
        _ failureClass: FailureClass
    ) async throws {
        let failure = try await Self.failure(behaviour)

        #expect(failure?.error.code == code)
        #expect(failure?.failureClass == failureClass)
        #expect(failure?.error.message.contains("HTTP") == false)
    }

    @Test func missingFilesAreNoFaultOfTheirHost() async throws {
        try await Self.withServer([FTPBehaviour { $0.hasFile = false }]) { server, bench in
            for number in 0..<6 {
                let outcome = await bench.attempt(try bench.assignment(server.url("/\(number)")))
                #expect(outcome.errorCode == .fileNotFound)
            }

            #expect(bench.engine.hosts.snapshots.values.allSatisfy { $0.state == .available })
        }
    }

    /// What an attempt at a file of such a server comes to.
    private static func failure(_ behaviour: FTPBehaviour) async throws -> TransferFailure? {
        var failure: TransferFailure?
        try await withServer([behaviour]) { server, bench in
            failure = await bench.attempt(try bench.assignment(server.url())).failure
        }
        return failure
    }

    @Test func aLoginThatIsRefusedLaterKeepsTheBytesForAnother() async throws {
        let drop = FTPBehaviour { $0.ending = .cut(after: 900_000) }
        try await Self.withServer([drop, FTPBehaviour { $0.refusal = 530 }]) { server, bench in
            let outcomes = await bench.attempts(try bench.assignment(server.url()), atMost: 2)

            #expect(outcomes.last?.failure?.failureClass == .credentials)
            #expect(bench.parts.count == 1)
        }
    }

    @Test func theClientsUserLogsIn() async throws {
        try await Self.withServer([.good]) { server, bench in
            let credentials = RequestCredentials(user: "me", password: "p@ss word")
            let outcome = await bench.attempt(try bench.assignment(server.url(), credentials: credentials))

            #expect(bench.holds(outcome.file))
            #expect(server.sessions.first?.starts(with: ["USER me", "PASS p@ss word"]) == true)
        }
    }

    @Test func aLineBreakInAPasswordIsNoCommand() async throws {
        try await Self.withServer([.good]) { server, bench in
            let credentials = RequestCredentials(user: "me", password: "p\r\nDELE file.bin")
            let outcome = await bench.attempt(try bench.assignment(server.url(), credentials: credentials))

            #expect(outcome.failure?.failureClass == .permanent)
            #expect(server.sessions.isEmpty)
        }
    }

    @Test func aPassiveReplyThatNamesAnotherHostIsNotFollowed() async throws {
        try await Self.withServer([FTPBehaviour { $0.passive = .named("192,0,2,1") }]) { server, bench in
            let outcome = await bench.attempt(try bench.assignment(server.url()))

            #expect(bench.holds(outcome.file))
            #expect(server.dataConnections.count == 1)
        }
    }

    @Test func anFTPSServerWithoutTLSReceivesNothingInClearText() async throws {
        try await Self.withServer([.good]) { server, bench in
            let credentials = RequestCredentials(user: "me", password: "canary")
            let url = server.url(scheme: "ftps")
            let outcome = await bench.attempt(try bench.assignment(url, credentials: credentials))

            #expect(outcome.errorCode == .tlsFailed)
            #expect(!server.sessions.joined().contains { $0.contains("me") || $0.contains("canary") })
        }
    }

    @Test func noFileComesThroughAProxy() async throws {
        let proxy = ProxyStub(.http)
        defer { proxy.stop() }
        let rules = ProxyRules(server: ProxyServer("http://127.0.0.1:\(proxy.port)"))
        try await Self.withServer([.good], settings: .change { $0.proxies = rules }) { server, bench in
            let outcome = await bench.attempt(try bench.assignment(server.url()))

            #expect(outcome.errorCode == .protocolForbidden)
            #expect(server.sessions.isEmpty && proxy.targets.isEmpty)
        }
    }

    @Test func anSFTPServerIsNotTrustedWithoutItsKey() async throws {
        try await Self.withServer([.good]) { server, bench in
            let outcome = await bench.attempt(try bench.assignment(server.url(scheme: "sftp")))

            #expect(outcome.errorCode == .hostKeyRejected)
            #expect(outcome.failure?.failureClass == .permanent)
            #expect(server.sessions.isEmpty)
        }
    }
}
