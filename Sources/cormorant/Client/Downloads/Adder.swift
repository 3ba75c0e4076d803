import Application
import Client
import Linux

/// Creates downloads in batches, and prints what became of each.
struct Adder {
    struct Item {
        var new: Download.Request
        /// Where the user wrote it, for errors; nil for the command line.
        var place: String?
    }

    struct Result {
        var ids: [String] = []
        var refused = 0
        /// The exit code for the first that was refused; nil if none was.
        var status: ExitStatus?
    }

    let client: CormorantClient
    let format: OutputFormat
    /// Whether the JSON is an array.
    let isSeveral: Bool
    var isQuiet = false

    /// The limits of a batch: 1,000 items, and 4 MiB of JSON.
    private static let mostItems = 1000
    private static let mostBytes = 3 << 20
    /// How often a batch is sent again after a lost connection. Its key makes that safe.
    private static let retries = 3

    func add(_ items: [Item]) async throws -> Result {
        var result = Result()
        var printer = ResultPrinter(format, isSeveral: isSeveral)
        var rest = items[...]
        do {
            while !rest.isEmpty {
                let batch = Self.firstBatch(of: rest)
                rest = rest.dropFirst(batch.count)
                let answers = try await create(Array(batch), mayRetry: !result.ids.isEmpty)
                try report(Array(batch), answers, &result, &printer)
            }
        } catch {
            // What was added before the failure is reported.
            try printer.end()
            throw error
        }
        try printer.end()
        if items.count > 1, !isQuiet {
            let refused = result.refused == 0 ? "" : ", \(result.refused) refused"
            StandardStream.error.tell("\(result.ids.count) added\(refused)\n")
        }
        return result
    }

    static func firstBatch(of items: ArraySlice<Item>) -> ArraySlice<Item> {
        var bytes = 0
        let batch = items.prefix(mostItems).prefix { item in
            bytes +=
                512 + item.new.url.utf8.count + (item.new.mirrors ?? []).reduce(0) { $0 + $1.utf8.count + 4 }
                + (item.new.requestHeaders ?? [:]).reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count + 8 }
            return bytes <= mostBytes
        }
        return batch.isEmpty ? items.prefix(1) : batch
    }

    private func create(_ batch: [Item], mayRetry: Bool) async throws(ClientError) -> [BatchResult] {
        var generator = SystemRandomNumberGenerator()
        let key = "cli-\(String(generator.next(), radix: 36))\(String(generator.next(), radix: 36))"
        var tries = 0
        while true {
            do {
                return try await client.createDownloads(batch.map(\.new), key: key)
            } catch {
                guard case .unreachable = error, mayRetry, tries < Self.retries else { throw error }
                tries += 1
                // A service that restarts needs some seconds. The key makes the repetition safe.
                try? await Task.sleep(for: .seconds(tries))
            }
        }
    }

    private func report(
        _ batch: [Item],
        _ answers: [BatchResult],
        _ result: inout Result,
        _ printer: inout ResultPrinter
    ) throws {
        for answer in answers where batch.indices.contains(answer.index) {
            let item = batch[answer.index]
            if let download = answer.download {
                result.ids.append(download.id)
                if !isQuiet { try print(download, item, isNew: answer.httpStatus == 201, &printer) }
            } else {
                refuse(item, answer.problem, &result)
            }
        }
    }

    private func print(
        _ download: BatchResult.Created,
        _ item: Item,
        isNew: Bool,
        _ printer: inout ResultPrinter
    ) throws {
        let (id, state) = (RawJSON.quoted(download.id), RawJSON.quoted(download.state))
        let json = "{\"id\":\(id),\"state\":\(state),\"existed\":\(!isNew)}"
        try printer.add(Array(json.utf8), name: download.id) { _ in
            let existed = isNew ? "" : "  (existed: \(download.state))"
            return ["\(download.id)  \(download.name ?? item.new.url)\(existed)".printable]
        }
    }

    private func refuse(_ item: Item, _ problem: Problem?, _ result: inout Result) {
        result.refused += 1
        result.status = result.status ?? problem.map { ExitStatus($0) } ?? .protocol
        let place = item.place.map { "\($0): " } ?? ""
        let url = item.new.url.prefix { $0 != "?" }
        let reason = problem?.reasons.joined(separator: " ") ?? "The service gave no reason."
        StandardStream.error.tell("cormorant: \(place)\(url): ".printable + reason.printable + "\n")
    }
}

extension Problem {
    /// The sentences of the parts that are wrong, or of the whole.
    var reasons: [String] {
        let details = (errors ?? []).compactMap { violation in
            violation.detail.map { detail in
                // In a batch the pointer begins with the place of the item.
                let name = violation.pointer?.split(separator: "/").last.map { String($0) }
                return name.map { $0 == "url" ? detail : "\($0): \(detail)" } ?? detail
            }
        }
        return details.isEmpty ? [absence ?? detail ?? title ?? "HTTP \(status)"] : details
    }
}
