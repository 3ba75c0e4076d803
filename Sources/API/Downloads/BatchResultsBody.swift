import Core

/// The results of a batch that is not atomic, in the order of the items.
public struct BatchResultsBody: Sendable {
    public var items: [Item]

    public enum Item: Sendable {
        case created(DownloadBody)
        /// An earlier download with the item's dedupe key.
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

    func writeMembers(to writer: inout JSONWriter) {
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
