import Synchronization
import TestSupport
import Testing
import URLs

@testable import Curl

/// Transfers from FTP servers, as libcurl makes them.
@Suite(.hangLimit)
struct FileTests {
    private static func withServer(
        _ script: [FTPBehaviour] = [.good],
        _ body: (FTPServer, TransferLoop) async throws -> Void
    ) async throws {
        let server = FTPServer(Content(size: 1000), script: script)
        defer { server.stop() }
        let loop = TransferLoop()
        try await body(server, loop)
        await loop.shutdown()
    }

    private static func request(
        _ url: String,
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) throws -> TransferRequest {
        var request = try #require(TransferRequest(to: GivenURL(parsing: url, schemes: URLScheme.all).url))
        request.allowedSchemes = URLScheme.all
        request.lowSpeedLimit = nil
        request.headTimeout = .seconds(600)
        change(&request)
        return request
    }

    @Test func theHeadSaysWhatTheServerToldBeforeTheFirstByte() async throws {
        try await Self.withServer { server, loop in
            let exchange = try await loop.start(Self.request(server.url()))
            let sink = RecordingSink()
            _ = try await exchange.receive(into: sink)

            #expect(exchange.head.file == .init(size: 1000, modifiedSeconds: 784_111_740))
            #expect(exchange.head.contentLength == 1000)
            #expect(exchange.head.status == 150)
            #expect(sink.bytes == server.content.allBytes)
        }
    }

    @Test(arguments: [(0, 1000), (1, 999), (999, 1), (1000, 0)] as [(Int64, Int64)])
    func theRestComesFromAByteOn(_ first: Int64, _ length: Int64) async throws {
        try await Self.withServer { server, loop in
            let exchange = try await loop.start(Self.request(server.url()) { $0.range = .from(first) })
            let sink = RecordingSink()
            _ = try await exchange.receive(into: sink)

            #expect(exchange.head.file?.size == 1000)
            #expect(exchange.head.contentLength == length)
            #expect(sink.bytes == server.content.bytes(in: first..<1000))
        }
    }

    @Test func aSizeThatIsNotToldIsNotTakenFromElsewhere() async throws {
        let behaviour = FTPBehaviour {
            ($0.tellsSize, $0.tellsTime) = (false, false)
            $0.openingText = "Opening BINARY mode data connection for file.bin (1000 bytes)."
        }
        try await Self.withServer([behaviour]) { server, loop in
            let exchange = try await loop.start(Self.request(server.url()))
            let sink = RecordingSink()
            _ = try await exchange.receive(into: sink)

            #expect(exchange.head.file == .init(size: nil, modifiedSeconds: nil))
            #expect(exchange.head.contentLength == nil)
            #expect(sink.bytes == server.content.allBytes)
        }
    }

    @Test(arguments: [(400, .bodyTooLong), (1400, .partialFile)] as [(Int64, CurlError.Code)])
    func aLengthNamedInPassingThatIsNotTheFilesIsFoundOut(_ length: Int64, _ code: CurlError.Code) async throws {
        let behaviour = FTPBehaviour { ($0.tellsSize, $0.openingText) = (false, "Here it comes (\(length) bytes).") }
        try await Self.withServer([behaviour]) { server, loop in
            let found = await curlCode {
                _ = try await loop.start(Self.request(server.url())).receive(into: RecordingSink())
            }

            #expect(found == code)
        }
    }

    /// A body of which libcurl has read the surplus before the end was checked.
    @Test(arguments: [1, 2, 100, 600, 999] as [Int64])
    func aServerThatIgnoresTheStartIsFoundOutWhateverLibcurlHasRead(_ first: Int64) async throws {
        try await Self.withServer([FTPBehaviour { $0.restart = .ignored }]) { server, loop in
            let request = try Self.request(server.url()) { $0.range = .from(first) }
            let code = await curlCode { _ = try await loop.start(request).receive(into: RecordingSink()) }

            #expect(code == .bodyTooLong)
        }
    }

    @Test(arguments: [(600, true), (0, false)] as [(Int64, Bool)])
    func anEndThatIsNotShownCountsWhereSomethingHangsOnIt(_ first: Int64, _ tellsSize: Bool) async throws {
        let behaviour = FTPBehaviour {
            ($0.tellsSize, $0.ending, $0.openingText) = (tellsSize, .silent, "Here it comes (1000 bytes).")
        }
        try await Self.withServer([behaviour]) { server, loop in
            let request = try Self.request(server.url()) {
                $0.endPatience = .milliseconds(20)
                if first > 0 { $0.range = .from(first) }
            }
            let code = await curlCode { _ = try await loop.start(request).receive(into: RecordingSink()) }

            #expect(code == .endNotSeen)
        }
    }

    @Test func aFaultBeforeTheBodyIsReportedWhenTheBodyIsRequested() async throws {
        let server = FTPServer(Content(size: 200_000), script: [FTPBehaviour { $0.restart = .ignored }])
        defer { server.stop() }
        let loop = TransferLoop()
        let closed = Signal()
        let request = try Self.request(server.url()) {
            $0.range = .from(1000)
            $0.onClose = { closed.fire() }
        }
        let code = await curlCode {
            let exchange = try await loop.start(request)
            await closed.wait()
            _ = try await exchange.receive(into: RecordingSink())
        }

        #expect(code == .bodyTooLong)
        await loop.shutdown()
    }

    @Test func aCancelledFTPTransferDoesNotWaitForItsEnd() async throws {
        let behaviour = FTPBehaviour { ($0.tellsSize, $0.ending) = (true, .silent) }
        try await Self.withServer([behaviour]) { server, loop in
            let request = try Self.request(server.url()) {
                $0.endPatience = .seconds(3600)
                $0.range = .from(600)
            }
            let code = await withTaskGroup(of: CurlError.Code?.self) { group in
                group.addTask {
                    await curlCode { _ = try await loop.start(request).receive(into: RecordingSink()) }
                }
                await server.dataConnections.wait()
                group.cancelAll()
                return await group.next().flatMap(\.self)
            }

            #expect(code == .aborted || code == .endNotSeen)
        }
    }

    @Test(arguments: [FTPBehaviour.Passive.extended, .named("127,0,0,1")])
    func theDataConnectionIsCheckedToo(_ passive: FTPBehaviour.Passive) async throws {
        try await Self.withServer([FTPBehaviour { $0.passive = passive }]) { server, loop in
            let judged = Mutex<[UInt16]>([])
            let code = await curlCode {
                _ = try await loop.start(
                    Self.request(server.url()) { [port = server.port] in
                        $0.allowsAddress = { address in
                            judged.withLock { $0.append(address.port) }
                            return address.port == port
                        }
                    }
                )
            }

            #expect(code == .dataDestinationRefused)
            #expect(server.dataConnections.count == 0)
            #expect(!server.sessions.joined().contains { $0.hasPrefix("RETR") })
            // Before the connection, before the request, and for the data.
            let ports = judged.withLock { $0 }
            #expect(ports.count == 3 && ports[0] == server.port && ports[1] == server.port && ports[2] != server.port)
        }
    }

    @Test func anSFTPServersAddressIsChecked() async throws {
        let folder = TemporaryFolder()
        folder.write("127.0.0.1 ssh-ed25519 ZWQyNTUxOQ==\n", to: "known_hosts")
        try await Self.withServer { server, loop in
            let code = await curlCode {
                _ = try await loop.start(
                    Self.request(server.url(scheme: "sftp")) {
                        $0.knownHostsFile = folder("known_hosts")
                        $0.allowsAddress = { _ in false }
                    }
                )
            }

            #expect(code == .destinationRefused)
            #expect(server.sessions.isEmpty)
        }
    }

    @Test func aLoopForOneTransferEndsWithIt() async throws {
        let server = FTPServer(Content(size: 1000))
        defer { server.stop() }
        weak var gone: TransferLoop?
        do {
            let loop = try TransferLoop.forOneTransfer()
            gone = loop
            _ = try await loop.start(Self.request(server.url())).receive(into: RecordingSink())
        }

        try await poll("the loop is freed", because: .release) { gone == nil }
    }

    @Test func anEndlessTalkIsNotListenedTo() async throws {
        try await Self.withServer { server, loop in
            let code = await curlCode {
                _ = try await loop.start(Self.request(server.url()) { $0.headLimits = HeadLimits(bytes: 60) })
            }

            #expect(code == .headTooLarge)
        }
    }

    @Test func aServerOfFilesIsNotAskedForAPieceInTheMiddle() async throws {
        try await Self.withServer { server, loop in
            let code = await curlCode {
                _ = try await loop.start(Self.request(server.url()) { $0.range = .bytes(1...2) })
            }

            #expect(code == .badHeader)
            #expect(server.sessions.isEmpty)
        }
    }

    @Test func anSFTPServerNeedsAFileOfKnownHosts() async throws {
        try await Self.withServer { server, loop in
            let code = await curlCode { _ = try await loop.start(Self.request(server.url(scheme: "sftp"))) }

            #expect(code == .hostKeyRejected)
            #expect(server.sessions.isEmpty)
        }
    }
}

/// What is read from an FTP server's replies.
struct FTPRepliesTests {
    private static func replies(_ lines: [String], size: Int64? = nil) -> FTPReplies {
        var replies = FTPReplies()
        for line in lines {
            unsafe Array("\(line)\r\n".utf8).withUnsafeBytes { unsafe replies.receive($0, size: size) }
        }
        return replies
    }

    @Test(
        arguments: [
            (["230-Hi", "230-150 users", " 226 all", "230 ok"], 230), (["230-Hi", "all", "200 ok"], 200),
            (["220-Hi", "there", "220-", "220 ok", "331 who"], 331), (["226 all", "221 bye"], 226), (["226"], nil),
            (["+26 all"], nil), (["230-Hi"], nil),
        ] as [([String], Int?)]
    )
    func aReplyOfSeveralLinesEndsWithANumberAndASpace(_ lines: [String], _ last: Int?) {
        let replies = Self.replies(lines, size: 9)

        #expect(replies.last == last)
        #expect(replies.opening == nil && replies.reportedSize == nil && replies.announcedSize == nil)
    }

    @Test
    func aWelcomeThatLibcurlTakesForTheBeginningOfTheDataIsTakenForItHereToo() {
        let replies = Self.replies(["220-Hi", "150 users are here (7 bytes)", "220 ok"])

        #expect(replies.opening == 150 && replies.announcedSize == 7)
    }

    @Test(
        arguments: [
            ("150 a.iso (1000 bytes).", 1000), ("150 a (b).iso (1000 bytes)", 1000), ("125 here", nil),
            ("150 1000 bytes", nil), ("150 (some bytes)", nil), ("150 (99999999999999999999 bytes)", nil),
        ] as [(String, Int64?)]
    )
    func theLengthNamedInPassingIsKeptApart(_ line: String, _ length: Int64?) {
        let replies = Self.replies([line], size: 9)

        #expect(replies.opening != nil && replies.reportedSize == 9)
        #expect(replies.announcedSize == length)
    }
}
