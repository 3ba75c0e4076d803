/// The body of `POST /downloads/batch`: many bodies of `POST /downloads`.
public struct CreateBatchBody: Sendable {
    /// Makes no download where one cannot be made.
    public var isAtomic: Bool
    /// Seals the sessions that the items name.
    public var seals: Bool
    /// At least one.
    public var items: [Item]

    /// The most items that one batch has.
    public static let maximumItems = 1000

    /// A download to be made, or what is wrong with it.
    public enum Item: Sendable {
        case download(CreateDownloadBody)
        /// Its pointers begin at the whole body, as those of all problems do.
        case fault(BodyFault)
    }

    /// Where an item stands in the body.
    public static func pointer(toItem index: Int) -> JSONPointer { JSONPointer(text: "/items/\(index)") }

    /// Reads a body. What is wrong within an item is told with the item.
    public init(parsing bytes: [UInt8]) throws(BodyFault) {
        var list = ViolationList()
        var reader = try ObjectReader(body: bytes)
        isAtomic = reader.bool("atomic", &list) ?? true
        seals = reader.bool("sealed", &list) ?? false
        if seals, !isAtomic {
            // What is refused could never be sent again.
            list.add(.root.appending("sealed"), .forbidden, "A batch that seals its sessions is atomic.")
        }
        let values = reader.batchItems(&list)
        try reader.close(&list)
        items = values.map { value, pointer in
            do throws(BodyFault) {
                return .download(try CreateDownloadBody(value, at: pointer))
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
            list.add(pointer.appending("items"), .outOfRange, "A batch has at least one item.")
        }
        return items ?? []
    }
}
