import Curl
import TestSupport
import Testing

/// Transfers over HTTP/2, as libcurl makes them.
@Suite(.hangLimit)
struct HTTP2Tests {
    private static let authority = TestAuthority()

    private static func withServer(
        _ content: Content = Content(size: 1000),
        script: [Behaviour] = [.good],
        offering: TLSServer.OfferedProtocol = .either,
        _ body: (Origin, TransferLoop, String) async throws -> Void
    ) async throws {
        let folder = TemporaryFolder()
        folder.write(authority.certificate, to: "authority.pem")
        let origin = Origin(content, script: script, tls: TLSServer(authority.issue(), offering: offering))
        defer { origin.stop() }
        // However busy the machine is, a connection is there for the next request.
        let loop = TransferLoop(sharing: IdleConnections(longestIdleness: .seconds(600)), number: 0)
        try await body(origin, loop, folder("authority.pem"))
        await loop.shutdown()
    }

    private static func fetch(
        _ origin: Origin,
        _ loop: TransferLoop,
        _ authority: String,
        _ change: (inout TransferRequest) -> Void = { _ in }
    ) async throws -> (ResponseHead, [UInt8]) {
        let exchange = try await loop.start(
            request(origin.url()) {
                $0.certificateAuthorityFile = authority
                change(&$0)
            }
        )
        let sink = RecordingSink()
        _ = try await exchange.receive(into: sink)
        return (exchange.head, sink.bytes)
    }

    private static func fetchTogether(
        _ count: Int,
        _ origin: Origin,
        _ loop: TransferLoop,
        _ authority: String
    ) async throws {
        try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for number in 0..<count {
                group.addTask {
                    try await fetch(origin, loop, authority) {
                        $0.receiveBufferBytes = number.isMultiple(of: 2) ? 16 << 10 : 64 << 10
                    }.1
                }
            }
            for try await bytes in group { #expect(bytes == Content(size: 1000).allBytes) }
        }
    }

    @Test func http2IsUsedWhenTheServerOffersIt() async throws {
        try await Self.withServer { origin, loop, authority in
            let (head, bytes) = try await Self.fetch(origin, loop, authority)

            #expect(head.version == .http2)
            #expect(bytes == Content(size: 1000).allBytes)
            #expect(origin.requests.map(\.isHTTP2) == [true])
        }
    }

    @Test func aRequestForHTTP1UsesHTTP1() async throws {
        try await Self.withServer { origin, loop, authority in
            _ = try await Self.fetch(origin, loop, authority)
            let (head, bytes) = try await Self.fetch(origin, loop, authority) { $0.versionPreference = .http1 }

            #expect(head.version == .http1_1)
            #expect(bytes == Content(size: 1000).allBytes)
            #expect(origin.connectionCount == 2)
        }
    }

    /// A connection that needed more than a second for its first answer is closed after it. The next one is kept.
    private static func openConnection(to url: String, _ loop: TransferLoop, _ authority: String) async throws {
        while true {
            let exchange = try await loop.start(request(url) { $0.certificateAuthorityFile = authority })
            if try await exchange.receive(into: RecordingSink()).isConnectionReused { return }
        }
    }

    /// All come on the connection before the first is answered, so that they share it.
    @Test func manyRequestsShareAConnection() async throws {
        let count = 100
        try await Self.withServer(script: [Behaviour { $0.responsesTogether = count }]) { origin, loop, authority in
            origin.serve("/first", Content(size: 10))
            try await Self.openConnection(to: origin.url("/first"), loop, authority)
            let connectionCount = origin.connectionCount
            for _ in 0..<3 {
                try await Self.fetchTogether(count, origin, loop, authority)
            }

            #expect(origin.requests.filter { $0.path != "/first" }.count == 3 * count)
            #expect(origin.requests.allSatisfy { $0.isHTTP2 })
            #expect(origin.connectionCount == connectionCount)
        }
    }

    /// libcurl 7.88 gives the second of them the connection on which the large file is coming.
    @Test func aConnectionOverHTTP1IsNotUsedByTwo() async throws {
        let content = Content(size: 1_000_000)
        let rest = Signal()
        try await Self.withServer { origin, loop, authority in
            origin.serve("/large", content, script: [.pace(.stall(after: 10_000, until: rest))])
            let large = try request(origin.url("/large")) {
                $0.certificateAuthorityFile = authority
                $0.versionPreference = .http1
            }
            let exchange = try await loop.start(large)
            // So that nothing lies unread on it, by which it would be known.
            try await poll("10,000 bytes", because: .counter) {
                exchange.receivedBytes
            } is: {
                $0 == 10_000
            }
            for _ in 0..<3 { try await Self.fetchTogether(5, origin, loop, authority) }
            rest.fire()
            let sink = RecordingSink()
            _ = try await exchange.receive(into: sink)

            #expect(sink.bytes == content.allBytes)
            #expect(origin.requests.map(\.isHTTP2).filter { !$0 }.count == 1)
        }
    }

    @Test func aServerOfHTTP1IsAskedOverSeveral() async throws {
        let rest = Signal()
        try await Self.withServer(script: [.pace(.stall(after: 10, until: rest))], offering: .http1) {
            origin,
            loop,
            authority in
            async let all: Void = Self.fetchTogether(8, origin, loop, authority)
            await origin.requests(atLeast: 8)
            rest.fire()
            try await all

            #expect(origin.connectionCount == 8)
        }
    }

    @Test func cancellingOneStreamKeepsTheOthers() async throws {
        let together = Behaviour { $0.responsesTogether = 30 }
        try await Self.withServer(Content(size: 100_000), script: [.good, together]) { origin, loop, authority in
            _ = try await Self.fetch(origin, loop, authority)
            let sizes = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<30 {
                    group.addTask {
                        let request = try request(origin.url()) { $0.certificateAuthorityFile = authority }
                        let exchange = try await loop.start(request)
                        if number.isMultiple(of: 3) {
                            await exchange.discard()
                            return nil
                        }
                        let sink = RecordingSink()
                        _ = try await exchange.receive(into: sink)
                        return sink.bytes == Content(size: 100_000).allBytes ? sink.bytes.count : -1
                    }
                }
                return try await group.reduce(into: [Int]()) { if let size = $1 { $0.append(size) } }
            }

            #expect(sizes == Array(repeating: 100_000, count: 20))
            #expect(origin.connectionCount == 1)
        }
    }

    /// What libcurl says of each. A stream that is reset without an error it takes for one that has ended.
    @Test(
        arguments: [
            (.reset(0, after: -1), .contentLength, .curl(92)), (.reset(2, after: -1), .contentLength, .curl(92)),
            (.reset(11, after: -1), .contentLength, .curl(92)),
            (.reset(2, after: 500), .contentLength, .curl(92)), (.reset(2, after: 500), .chunked, .curl(92)),
            (.reset(8, after: 500), .chunked, .curl(92)), (.reset(0, after: 500), .contentLength, .curl(18)),
            (.reset(0, after: 500), .chunked, nil), (nil, .wrongContentLength(by: 5), .curl(92)),
            (nil, .wrongContentLength(by: -5), .curl(92)), (nil, .chunked, nil),
        ] as [(Behaviour.HTTP2Fault?, Behaviour.Framing, CurlError.Code?)]
    )
    func aStreamThatFailsIsAnError(
        _ fault: Behaviour.HTTP2Fault?,
        _ framing: Behaviour.Framing,
        _ code: CurlError.Code?
    ) async throws {
        let behaviour = Behaviour { ($0.http2Fault, $0.framing) = (fault, framing) }
        try await Self.withServer(script: [.good, behaviour]) { origin, loop, authority in
            _ = try await Self.fetch(origin, loop, authority)
            let found = await curlCode { _ = try await Self.fetch(origin, loop, authority) }

            #expect(found == code)
        }
    }

    /// libcurl reports GOAWAY with code 16 and, from version 8, as a failed read.
    @Test func aConnectionThatIsGivenUpIsAFailureOverHTTP2() async throws {
        let behaviour = Behaviour { $0.http2Fault = .goAway(0) }
        try await Self.withServer(script: [.good, behaviour]) { origin, loop, authority in
            _ = try await Self.fetch(origin, loop, authority)
            let error = await #expect(throws: CurlError.self) { try await Self.fetch(origin, loop, authority) }

            #expect(error?.isOverHTTP2 == true)
            #expect(error?.code == .curl(16) || error?.code == .curl(56))
        }
    }

    @Test(arguments: [(Behaviour.Framing.contentLength, Int64(500)), (.chunked, 500), (.chunked, 1000), (.chunked, 0)])
    func aConnectionThatEndsBeforeTheStreamIsAnError(_ framing: Behaviour.Framing, _ limit: Int64) async throws {
        for close in [Behaviour.Close.fin, .reset] {
            let behaviour = Behaviour { ($0.ending, $0.framing) = (.cut(after: limit, by: close), framing) }
            try await Self.withServer(script: [behaviour]) { origin, loop, authority in
                let code = await curlCode { _ = try await Self.fetch(origin, loop, authority) }

                // What the origin has not read of the client's frames turns its FIN into a reset (RFC 1122, 4.2.2.13).
                let codes: [CurlError.Code] =
                    (close == .fin ? [.partialFile, .curl(16)] : []) + [.curl(55), .curl(56)]
                #expect(codes.contains { $0 == code }, "\(String(describing: code)), \(close)")
            }
        }
    }

    @Test func aStreamThatWasRefusedIsAskedForAgain() async throws {
        let refused = Behaviour { $0.http2Fault = .reset(7, after: -1) }
        try await Self.withServer(script: [refused, refused, .good]) { origin, loop, authority in
            _ = try await Self.fetch(origin, loop, authority)

            #expect(origin.requests.map(\.isHTTP2) == [true, true, true])
        }
    }

    @Test func aServerThatAsksForHTTP1GetsIt() async throws {
        let older = Behaviour { $0.http2Fault = .reset(13, after: -1) }
        try await Self.withServer(script: [older, .good]) { origin, loop, authority in
            let (head, _) = try await Self.fetch(origin, loop, authority)

            #expect(head.version == .http1_1)
            #expect(origin.requests.map(\.isHTTP2) == [true, false])
        }
    }

    @Test func aServerThatAsksForCalmIsUnderstood() async throws {
        let calm = Behaviour { $0.http2Fault = .reset(11, after: -1) }
        try await Self.withServer(script: [calm]) { origin, loop, authority in
            let error = await #expect(throws: CurlError.self) { try await Self.fetch(origin, loop, authority) }

            #expect(error?.isTooManyRequests == true)
        }
    }
}
