import Curl
import Linux
import Model

/// Makes the bytes of a running transfer durable, and records them, a window or a second at a time.
///
/// The order is the promise: bytes to the disk first, then the record that claims them.
struct Flusher {
    let engine: Engine
    let part: PartFile
    let writer: SegmentWriter
    let keeper: any ProgressKeeper
    /// Whether the body's length is unknown, so that no room could be taken for it beforehand.
    let isOpenEnded: Bool
    /// What is recorded when everything before the offset is durable.
    let checkpoint: @Sendable (Int64) -> Checkpoint

    /// Flushes at each wake-up until there are no more.
    ///
    /// A failure ends the transfer: the exchange is discarded.
    func run(_ wakes: AsyncStream<Void>, _ exchange: Exchange) async throws(AttemptInterruption) {
        do throws(AttemptInterruption) {
            for await _ in wakes {
                let isWaiting = try await flush()
                if isOpenEnded { try await part.requireReserve(engine) }
                if isWaiting { exchange.resume() }
            }
        } catch {
            await exchange.discard()
            throw error
        }
    }

    /// Makes durable and records what was written so far.
    ///
    /// - Returns: Whether the transfer waited for this.
    @discardableResult
    func flush() async throws(AttemptInterruption) -> Bool {
        let end = writer.writtenEnd
        guard end > writer.recorded else { return false }
        try await part.synchronizeData(engine)
        let checkpoint = checkpoint(end)
        try await recorded { try await keeper.checkpoint(checkpoint) }
        return writer.record(upTo: end)
    }
}
