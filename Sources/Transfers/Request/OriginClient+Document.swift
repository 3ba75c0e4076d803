import Curl
import Model

extension OriginClient {
    /// How long a document is waited for while a file waits for it.
    private static let patience = Duration.seconds(5)

    /// What a Metalink document beside a file says; nil where it does not come whole, in time and within the limit, or
    /// is none.
    func metalink(at url: SourceURL) async -> Metalink? {
        await withTaskGroup(of: Metalink?.self) { group in
            group.addTask { await self.wholeMetalink(at: url) }
            group.addTask { [time] in
                try? await time.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap(\.self)
        }
    }

    private func wholeMetalink(at url: SourceURL) async -> Metalink? {
        let limit = Metalink.maximumBytes
        let answer = try? await ask(url, for: RequestAsked(), storedFrom: nil, posts: false)
        guard let answer else { return nil }
        guard answer.response.status == 200, answer.response.contentLength ?? 0 <= Int64(limit) else {
            await answer.discard()
            return nil
        }
        let body = MemoryBody(length: limit) { _ in }
        let ended = await answer.exchange.result(into: body, nil)
        defer { answer.entry?.end(answer.exchange.receivedBytes, ended) }
        guard case .success = ended, let metalink = try? Metalink(parsing: body.bytes) else { return nil }
        if metalink.hasUnreadableDigest { answer.entry?.judge(.hashUnreadable) }
        return metalink
    }
}

extension RequestRecord.Verdict {
    /// A Metalink document was taken, and a digest in it that is none was passed over.
    static let hashUnreadable = Self(.accept, reason: "hash_unreadable")
}
