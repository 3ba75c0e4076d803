import Curl
import Model

extension Flusher {
    /// Takes the body while flushing it, at each window and at least once in each interval.
    ///
    /// - Returns: How the transfer ended. What came after the last flush is not flushed yet.
    func run(
        alongside exchange: Exchange,
        _ wakes: AsyncStream<Void>,
        _ wake: AsyncStream<Void>.Continuation,
        every interval: Duration
    ) async throws(AttemptInterruption) -> Result<TransferEnd, CurlError> {
        async let flushed = outcome(of: wakes, exchange)
        async let _: Void = tick(wake, every: interval)
        let ended = await exchange.result(into: writer)
        wake.finish()
        if let interruption = await flushed { throw interruption }
        return ended
    }

    private func outcome(of wakes: AsyncStream<Void>, _ exchange: Exchange) async -> AttemptInterruption? {
        do {
            try await run(wakes, exchange)
            return nil
        } catch {
            return error
        }
    }

    /// Ends when the scope that began it does.
    private func tick(_ wake: AsyncStream<Void>.Continuation, every interval: Duration) async {
        while (try? await engine.time.sleep(for: interval)) != nil { wake.yield() }
    }
}
