import API
import Service
import ServiceSupport
import TestSupport
import Testing

/// Streams as the server asks them, without a connection in between.
@Suite(.hangLimit)
struct EventHubTests {
    private static func text(_ piece: EventStream.Piece) -> String? {
        guard case .bytes(let bytes) = piece else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Opens a stream that has to be read for; whoever is told fires the signal.
    private static func behind(_ service: TestService) async throws -> (stream: EventStream, told: Signal) {
        let stream = try #require(try await service.hub.open(with(StreamRequest()) { $0.lastEvent = 0 }))
        let told = Signal()
        stream.attach { told.fire() }
        return (stream, told)
    }

    /// They are read for one after the other, so what was closed has had its turn when a later one is told.
    @Test func aStreamThatWasClosedIsNotReadFor() async throws {
        try await withIdleService { service in
            try await service.add("http://a.example/")
            let (closed, other) = (try await Self.behind(service), try await Self.behind(service))
            closed.stream.close()
            // How it begins; from here on it wants what follows.
            _ = closed.stream.next()
            _ = other.stream.next()

            try await waitUntil("the other stream is told", after: other.told.changes) { other.told.count > 0 }
            #expect(closed.told.count == 0)
            #expect(Self.text(other.stream.next())?.hasPrefix("id: 1\n") == true)
            other.stream.close()
        }
    }

    /// A refusal would be the end for a browser, which connects again after any answer of 200.
    @Test func aClientDuringShutdownReceivesARetryDelay() async throws {
        try await withIdleService { service in
            service.hub.shutdown()

            let stream = try #require(try await service.hub.open(with(StreamRequest()) { $0.hasSnapshot = false }))
            var pieces: [String] = []
            while let text = Self.text(stream.next()) { pieces.append(text) }
            let wait = try #require(pieces.last.flatMap { Int($0.dropFirst(7).prefix { $0.isNumber }) })
            #expect(pieces.last?.hasPrefix("retry: ") == true && (1000...5000).contains(wait))
            guard case .end = stream.next() else {
                Issue.record("it goes on")
                return
            }
            stream.close()
        }
    }

    /// A hub of its own on a service's log, which does nothing until it runs.
    private static func idleHub(_ service: TestService) -> EventHub {
        let downloads = DownloadService(
            store: service.store,
            engine: service.engine,
            running: service.running,
            rates: service.rates,
            vault: service.vault,
            settings: service.options.jobs,
            time: service.time.source
        )
        return EventHub(
            service: downloads,
            running: service.running,
            time: service.time.source,
            logger: service.logs.logger
        )
    }

    private static func piece(of stream: EventStream) async throws -> [UInt8] {
        let wakes = Changes()
        stream.attach { wakes.post() }
        let piece = try await waitUntil("bytes of a stream", after: wakes) {
            stream.next()
        } is: { piece in
            if case .bytes = piece { true } else { false }
        }
        guard case .bytes(let bytes) = piece else { return [] }
        return bytes
    }

    /// As all do that come back after a restart. They came at different numbers of the log, and wait for one reading:
    /// what it shows is not told again, and what follows is told once.
    @Test func streamsThatBeginTogetherAreGivenTheSameBytes() async throws {
        try await withIdleService { service in
            let hub = Self.idleHub(service)
            var streams: [EventStream] = []
            for index in 0..<20 {
                try await service.add("http://a.example/\(index)")
                let stream = try #require(try await hub.open(StreamRequest()))
                #expect(Self.text(stream.next()) == "retry: 3000\n\n")
                streams.append(stream)
            }
            try await service.add("http://a.example/last")
            let running = Task { try await hub.run() }
            defer { running.cancel() }

            var snapshots: [[UInt8]] = []
            for stream in streams { snapshots.append(try await Self.piece(of: stream)) }
            let text = String(decoding: snapshots[0], as: UTF8.self)
            #expect(text.hasPrefix("id: 21\nevent: snapshot\ndata: {\"seq\":21,"))
            #expect(text.contains("http://a.example/last"))
            // Not equal only: they are in memory once.
            let places = snapshots.map { unsafe $0.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) } }
            #expect(Set(places).count == 1)

            try await service.add("http://a.example/next")
            for stream in streams {
                let event = String(decoding: try await Self.piece(of: stream), as: UTF8.self)
                #expect(event.hasPrefix("id: 22\n"))
                stream.close()
            }
        }
    }
}
