public import Core

/// The body of `POST /downloads/batch`: many bodies of `POST /downloads`.
public struct CreateBatchBody: Sendable {
    /// Creates no download if one is refused.
    public var isAtomic: Bool
    /// Seals the sessions that the items name.
    public var seals: Bool
    /// At least one.
    public var items: [Item]

    /// The most items that one batch has.
    public static let maximumItems = 1000

    /// A download to be made, or what is wrong with it.
    public enum Item: Sendable {
        case download(RequestedDownload)
        /// Its pointers begin at the whole body, as those of all problems do.
        case fault(BodyError)
    }

    /// The pointer to an item in the body.
    public static func pointer(toItem index: Int) -> JSONPointer { JSONPointer(text: "/items/\(index)") }

    /// Reads a body. Errors within an item are kept with the item.
    public init(parsing bytes: [UInt8]) throws(BodyError) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        isAtomic = reader.bool("atomic", &list) ?? true
        seals = reader.bool("sealed", &list) ?? false
        if seals, !isAtomic {
            // What is refused could never be sent again.
            list.add(.root.appending("sealed"), .forbidden, "A batch with \"sealed\": true must be atomic.")
        }
        let values = reader.batchItems(&list)
        try reader.close(&list)
        items = values.map { value, pointer in
            do throws(BodyError) {
                return .download(try RequestedDownload(value, at: pointer))
            } catch {
                return .fault(error)
            }
        }
    }
}

extension ObjectReader {
    fileprivate mutating func batchItems(_ list: inout ViolationList) -> [(value: JSONValue, pointer: JSONPointer)] {
        require("items", &list)
        let items = array("items", atMost: CreateBatchBody.maximumItems, "items", &list)
        if items?.isEmpty == true {
            list.add(pointer.appending("items"), .outOfRange, "Expected at least one item.")
        }
        return items ?? []
    }
}

/// The downloads that an atomic batch came to, in its order.
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

/// The results of the items of a batch that is not atomic, in order.
public struct BatchResultsBody: Sendable {
    public var items: [Item]

    public enum Item: Sendable {
        case created(DownloadBody)
        /// The download that has the item's dedupe key already.
        case existing(DownloadBody)
        case refused(ProblemBody)
    }

    public init(items: [Item]) {
        self.items = items
    }

    /// The JSON of the body.
    public func encoded() -> [UInt8] {
        var writer = JSONWriter(reserving: DownloadBody.usualLength * items.count + 16)
        writer.object { writer in
            writer.name("items")
            writer.array(items.enumerated()) { writer, item in
                writer.object { writer in
                    writer.member("index", item.offset)
                    item.element.writeMembers(to: &writer)
                }
            }
        }
        return writer.bytes
    }
}

extension BatchResultsBody.Item {
    /// The status that a request of its own would have been answered with.
    private var status: Int {
        switch self {
        case .created: 201
        case .existing: 200
        case .refused(let problem): problem.status
        }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("http_status", status)
        switch self {
        case .created(let body), .existing(let body):
            writer.name("download")
            body.write(to: &writer)
            writer.name("problem")
            writer.null()
        case .refused(let problem):
            writer.name("download")
            writer.null()
            writer.name("problem")
            problem.write(to: &writer)
        }
    }
}
