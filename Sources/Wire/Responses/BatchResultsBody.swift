import Model

/// What became of each item of a batch that is not atomic, in its order.
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
    private var status: Int {
        switch self {
        case .created: 201
        case .existing: 200
        case .refused(let problem): problem.status
        }
    }

    fileprivate func writeMembers(to writer: inout JSONWriter) {
        writer.member("status", status)
        switch self {
        case .created(let body), .existing(let body):
            writer.member("id", body.id.text)
            writer.name("download")
            body.write(to: &writer)
            writer.name("problem")
            writer.null()
        case .refused(let problem):
            writer.name("id")
            writer.null()
            writer.name("download")
            writer.null()
            writer.name("problem")
            problem.write(to: &writer)
        }
    }
}
