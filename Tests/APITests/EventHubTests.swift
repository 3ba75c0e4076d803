import Events
import ServiceSupport
import TestSupport
import Testing

/// Streams as the server asks them, without a connection in between.
@Suite(.timeLimit(.minutes(5)))
struct EventHubTests {
    private static func text(_ piece: EventStream.Piece) -> String? {
        guard case .bytes(let bytes) = piece else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Opens a stream that has to be read for; whoever is told fires the signal.
    private static func behind(_ service: TestService) async throws -> (stream: EventStream, told: Signal) {
        let stream = try #require(try await service.hub.open(StreamRequest(lastEvent: 0)))
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

            try await service.poll { other.told.count > 0 ? () : nil }
            #expect(closed.told.count == 0)
            #expect(Self.text(other.stream.next())?.hasPrefix("id: 1\n") == true)
            other.stream.close()
        }
    }

    /// A refusal would be the end for a browser, which connects again after any answer of 200.
    @Test func whoComesWhileTheServiceStopsIsToldWhenToComeBack() async throws {
        try await withIdleService { service in
            service.hub.drain()

            let stream = try #require(try await service.hub.open(StreamRequest(hasSnapshot: false)))
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
}
