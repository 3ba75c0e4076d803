public import Model
public import Store

extension Store {
    /// The answer that the same request got before; nil for a new one.
    public func earlierAnswer(to request: IdempotentRequest) async throws(JobError) -> StoredAnswer? {
        switch try await stored({ try await earlier(request) }) {
        case .none: return nil
        case .same(let answer): return answer
        case .other: throw .idempotencyKeyReused
        }
    }
}
