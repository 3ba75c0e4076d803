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
}
