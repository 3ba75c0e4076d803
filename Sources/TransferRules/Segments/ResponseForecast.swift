import Core

/// When the first byte of a response arrives or arrived, and over which kind of connection.
public struct ResponseStart: Hashable, Sendable {
    /// On the clock of the download; in the future while the response is awaited.
    public var firstByteAt: Duration
    /// Whether the connection was opened for the request, so that TCP starts slowly.
    public var isFresh: Bool

    public init(firstByteAt: Duration, isFresh: Bool) {
        self.firstByteAt = firstByteAt
        self.isFresh = isFresh
    }
}

/// The expected course of a response: its first byte, the slow start of a new connection, then a constant rate.
///
/// A new connection starts with ten packets in a round trip, which double with each (RFC 6928; RFC 5681, section 3.1).
/// It is not simply time without any byte: the last bytes of a file may arrive before the slow start is over.
struct ResponseForecast: Hashable, Sendable {
    /// The time until the first byte, in seconds; 0 once it has arrived.
    private let delay: Double
    /// The number of bytes in the next round trip, or in the first one of the response.
    private let window: Double
    /// In bytes per second, once the slow start is over.
    private let rate: Double
    /// In seconds.
    private let roundTrip: Double

    private static let firstWindow = 14_600.0

    /// - Parameters:
    ///   - rate: Positive and finite.
    ///   - start: nil for a response whose slow start is over.
    init(rate: Double, roundTrip: Duration, start: ResponseStart?, at now: Duration) {
        self.rate = rate
        self.roundTrip = roundTrip.inSeconds
        let age = start.map { ($0.firstByteAt - now) * -1 }
        delay = max(-(age ?? .zero).inSeconds, 0)
        window = start?.isFresh == true ? Self.window(after: age ?? .zero, roundTrip) : .infinity
    }

    private static func window(after age: Duration, _ roundTrip: Duration) -> Double {
        guard roundTrip > .zero else { return .infinity }
        let roundTrips = max(age / roundTrip, 0)
        // Larger than any rate needs.
        guard roundTrips < 40 else { return .infinity }
        let whole = roundTrips.rounded(.down)
        return firstWindow * Double(1 << Int(whole)) * (1 + roundTrips - whole)
    }

    /// The time until so many further bytes have arrived, in seconds.
    func duration(of bytes: Int64) -> Double {
        var (time, rest, window) = (delay, Double(bytes), window)
        while window < rate * roundTrip {
            guard rest > window else { return time + roundTrip * rest / window }
            rest -= window
            time += roundTrip
            window *= 2
        }
        return time + rest / rate
    }
}
