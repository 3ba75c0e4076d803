public import Core

/// The body of `POST /downloads/batch`: many bodies of `POST /downloads`.
public struct CreateBatchBody: Sendable {
    /// Whether one refused item prevents the whole batch.
    public var isAtomic: Bool
    /// Whether the batch seals the sessions that its items name.
    public var seals: Bool
    /// At least one.
    public var items: [Item]

    /// The maximum number of items in one batch.
    public static let maximumItems = 1000

    /// A download to create, or the error in the item.
    public enum Item: Sendable {
        case download(RequestedDownload)
        /// Its pointers start at the whole body, as in all problems.
        case fault(BodyError)
    }

    /// The pointer to an item in the body.
    public static func pointer(toItem index: Int) -> JSONPointer { JSONPointer(text: "/items/\(index)") }

    /// Reads a body. Errors within an item are kept with the item.
    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var reader = try ObjectReader(body: bytes)
        isAtomic = reader.bool("atomic") ?? true
        seals = reader.bool("sealed") ?? false
        if seals, !isAtomic {
            // After the session is sealed, the client could not send a refused item again.
            reader.refuse("sealed", .forbidden, "A batch with \"sealed\": true must be atomic.")
        }
        let values = reader.batchItems()
        try reader.close()
        items = values.map { item in
            do throws(BodyError) {
                return .download(try RequestedDownload(item.value, at: item.pointer))
            } catch {
                return .fault(error)
            }
        }
    }
}

extension ObjectReader {
    fileprivate mutating func batchItems() -> [ValueReader] {
        require("items")
        let items = items("items", atMost: CreateBatchBody.maximumItems, "items")
        if items?.isEmpty == true {
            refuse("items", .outOfRange, "Expected at least one item.")
        }
        return items ?? []
    }
}

/// The downloads of an atomic batch, in the order of the items.
public struct BatchBody: Sendable {
    public var items: [DownloadBody]

    public init(items: [DownloadBody]) {
        self.items = items
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: DownloadBody.usualLength * items.count + 16)
        writer.object { writer in
            writer.name("items")
            writer.array(items) { $1.write(to: &$0) }
        }
        return writer.bytes
    }
}
