/// A page of a list.
public struct Page<Item: Decodable & Sendable>: Decodable, Sendable {
    public var items: [Item]
    /// Where the next page begins; nil on the last one.
    public var nextCursor: String?
    /// How many items the filters select, if the request asked for it.
    public var total: Int?
    /// Whether there may be more than ``total``.
    public var totalIsLowerBound: Bool?
    public var links: JSONValue?
}

/// All items of a list. Pages are requested as they are needed.
public struct Pages<Item: Decodable & Sendable>: AsyncSequence, Sendable {
    public typealias Element = Item
    public typealias Failure = ClientError

    let client: CormorantClient
    let path: String
    let query: [APIRequest.Pair]

    public func makeAsyncIterator() -> Iterator { Iterator(list: self) }

    public struct Iterator: AsyncIteratorProtocol {
        public typealias Failure = ClientError

        let list: Pages
        private var items: ArraySlice<Item> = []
        private var cursor: String?
        private var isLast = false

        init(list: Pages) { self.list = list }

        public mutating func next() async throws(ClientError) -> Item? {
            // A page may be empty without being the last one.
            while items.isEmpty && !isLast {
                var request = APIRequest("GET", list.path, query: list.query)
                request.addQuery("cursor", cursor)
                let page: Page<Item> = try ClientJSON.decode(try await list.client.send(request).body)
                items = page.items[...]
                cursor = page.nextCursor
                isLast = cursor == nil
            }
            return items.popFirst()
        }
    }
}
