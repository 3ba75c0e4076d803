import Application
import ArgumentParser
import Client
import Linux

/// `cormorant webhook test`
struct WebhookTestCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a test event to a webhook and wait for the answer.",
        discussion: "Exits with 0 if the receiver accepted it, else with 69."
    )

    @OptionGroup var webhook: WebhookArgument

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        let delivery = try await client.ping(webhook.id)
        try await DeliveryWait(client: client, webhook: webhook.id, format: output.output).run(delivery.id, after: 0)
    }
}

/// `cormorant webhook redeliver`
struct WebhookRedeliverCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "redeliver",
        abstract: "Send a delivery of a webhook again and wait for the answer."
    )

    @OptionGroup var webhook: WebhookArgument

    @Argument(help: ArgumentHelp("The id of a delivery.", valueName: "delivery"))
    var delivery: String

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func run(_ client: CormorantClient) async throws {
        let before = try await client.delivery(delivery, of: webhook.id).attempts?.count ?? 0
        _ = try await client.redeliver(delivery, of: webhook.id)
        try await DeliveryWait(client: client, webhook: webhook.id, format: output.output).run(delivery, after: before)
    }
}

/// Waits for the next attempt of a delivery, and prints it.
struct DeliveryWait {
    let client: CormorantClient
    let webhook: String
    let format: OutputFormat

    /// The timeout of the service for a receiver is 15 seconds by default, and 30 at most.
    private static let patience = Duration.seconds(35)

    /// - Parameter count: The attempts that were made before.
    func run(_ id: String, after count: Int) async throws {
        let deadline = ContinuousClock.now + Self.patience
        var (delivery, raw) = try await read(id)
        while (delivery.attempts?.count ?? 0) <= count {
            guard ContinuousClock.now < deadline else {
                throw CommandFailure(.temporary, "\(id) is \(delivery.state); it was not sent within 35 seconds")
            }
            // No event reports an attempt of a delivery, so the delivery is read again after a pause.
            try await Task.sleep(for: .milliseconds(100))
            (delivery, raw) = try await read(id)
        }
        guard let attempt = delivery.attempts?.last else { return }
        let took = attempt.durationMs.map { " in \($0) ms" } ?? ""
        let answer = attempt.httpStatus.map { "HTTP \($0)" } ?? attempt.error ?? "no answer"
        var results = ResultPrinter(format, isSeveral: false)
        try results.add(raw, name: id) { _ in ["\(delivery.state)  \(id)  \(answer)\(took)".printable] }
        try results.end()
        if let excerpt = attempt.responseExcerpt, !excerpt.isEmpty, delivery.state != "succeeded" {
            StandardStream.error.tell(
                excerpt.split(whereSeparator: \.isNewline).prefix(5).joined(separator: "\n").printable + "\n"
            )
        }
        if delivery.state != "succeeded" { throw ExitStatus.unavailable.code }
    }
    private func read(_ id: String) async throws(ClientError) -> (Client.Delivery, [UInt8]) {
        try await client.raw(APIRequest.path("webhooks", webhook, "deliveries", id))
    }
}

/// `cormorant webhook deliveries`
struct WebhookDeliveriesCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliveries",
        abstract: "List the deliveries of a webhook, or show the attempts of one."
    )

    @OptionGroup var webhook: WebhookArgument

    @Argument(help: ArgumentHelp("The id of a delivery.", valueName: "delivery"))
    var delivery: String?

    @Option(help: ArgumentHelp("Deliveries in these states, such as pending; separated by commas.", valueName: "state"))
    var state: String?

    @Option(name: .shortAndLong, help: ArgumentHelp("How many deliveries.", valueName: "number"))
    var limit = 50

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...200).contains(limit) else { throw ValidationError("--limit expects a whole number from 1 to 200.") }
    }

    func run(_ client: CormorantClient) async throws {
        let printer = Printer(output.output)
        let path = APIRequest.path("webhooks", webhook.id, "deliveries")
        if let delivery {
            let (detail, raw): (Delivery, [UInt8]) = try await client.raw(path + "/\(delivery.escapedForPath)")
            let events = printer.isForPeople ? await DeliveredEvents.read([detail], client) : [:]
            return try printer.item(raw, name: detail.id) { _ in
                Self.fields(detail, events[detail.seq ?? 0]).compactMap(\.self)
            }
        }
        var query = [APIRequest.Pair("limit", "\(limit)")]
        if let state { query.append(APIRequest.Pair("state", state)) }
        let (page, raw): (Page<Delivery>, [UInt8]) = try await client.raw(path, query: query)
        let events = printer.isForPeople ? await DeliveredEvents.read(page.items, client) : [:]
        try printer.list(RawJSON.items(raw), names: page.items.map(\.id), empty: "There are no deliveries.") { _ in
            Self.table(page.items, events)
        }
    }

    static func table(_ deliveries: [Delivery], _ events: [Int64: Event]) -> Table {
        var table = Table([
            .init(title: "ID"), .init(title: "EVENT"), .init(title: "DOWNLOAD", isFlexible: true),
            .init(title: "STATE"), .init(title: "ATTEMPTS", isRight: true, rank: 1), .init(title: "AGE", rank: 2),
            .init(title: "NEXT ATTEMPT", rank: 0),
        ])
        table.rows = deliveries.map { delivery in
            [
                .init(delivery.id, .dim), .init(delivery.eventType),
                .init(delivery.seq.flatMap { events[$0]?.download }.map { $0.name ?? $0.id }),
                .init(delivery.state, .state(delivery.state)),
                .init(delivery.counters?.attempt.map { "\($0)" }), .init(Shown.age(delivery.createdAt)),
                .init(Shown.age(delivery.nextAttemptAt)),
            ]
        }
        return table
    }

    private static func fields(_ delivery: Delivery, _ event: Event?) -> [Field?] {
        [
            Field("id", delivery.id), Field("event", delivery.eventID), Field("type", delivery.eventType),
            Field("download", event.flatMap { event in event.download.map { _ in EventText.subject(event) } }),
            Field("state", delivery.state, .state(delivery.state)),
            Field("created", Shown.instantAndAge(delivery.createdAt)),
            Field("next attempt", Shown.instantAndAge(delivery.nextAttemptAt)),
        ]
            + (delivery.attempts ?? []).map { attempt in
                let answer = attempt.httpStatus.map { "HTTP \($0)" } ?? attempt.error ?? "no answer"
                let took = attempt.durationMs.map { ", \($0) ms" } ?? ""
                return Field("attempt \(attempt.number)", "\(Shown.age(attempt.startedAt) ?? "?"): \(answer)\(took)")
            }
    }
}

/// The events of deliveries, from the event log: a delivery itself has only the number of its event.
enum DeliveredEvents {
    /// - Returns: The events by their number, without those that the log no longer has.
    static func read(_ deliveries: [Delivery], _ client: CormorantClient) async -> [Int64: Event] {
        var events: [Int64: Event] = [:]
        var missing = Set(deliveries.compactMap(\.seq))
        while let first = missing.min() {
            missing.remove(first)
            let query = EventQuery(afterSeq: first - 1)
            guard let page = try? await client.eventPage(query, limit: 200) else { return events }
            for event in page.items {
                events[event.seq] = event
                missing.remove(event.seq)
            }
        }
        return events
    }
}
