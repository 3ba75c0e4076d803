import Curl
import Model

extension OriginClient {
    /// How long a document is waited for while a file waits for it.
    private static let patience = Duration.seconds(5)

    /// A small document beside a file; nil where it does not come whole, in time and within the limit.
    func document(at url: SourceURL, limit: Int) async -> [UInt8]? {
        await withTaskGroup(of: [UInt8]?.self) { group in
            group.addTask { await self.wholeDocument(at: url, limit: limit) }
            group.addTask { [time] in
                try? await time.sleep(for: Self.patience)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next().flatMap(\.self)
        }
    }

    private func wholeDocument(at url: SourceURL, limit: Int) async -> [UInt8]? {
        let answer = try? await ask(url, for: RequestAsked(), storedFrom: nil, posts: false)
        guard let answer else { return nil }
        guard answer.response.status == 200, answer.response.contentLength ?? 0 <= Int64(limit) else {
            await answer.discard()
            return nil
        }
        let body = MemoryBody(length: limit) { _ in }
        guard case .success = await answer.result(into: body) else { return nil }
        return body.bytes
    }
}
