import Foundation
import TestSupport
import Testing

@testable import Client

/// The client has every member and every operation of openapi.json.
@Suite(.hangLimit)
struct ClientMembersTests {
    private let description: [String: Any] = {
        var root = URL(filePath: #filePath)
        for _ in 0..<4 { root.deleteLastPathComponent() }
        guard let data = try? Data(contentsOf: root.appending(path: "openapi.json")),
            let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any]
        else { return [:] }
        return object
    }()

    private var schemas: [String: [String: Any]] {
        let components = description["components"] as? [String: Any]
        return components?["schemas"] as? [String: [String: Any]] ?? [:]
    }

    /// The names of the members of a schema and of those that it is made of.
    private func members(_ schema: [String: Any]) -> Set<String> {
        var names = Set((schema["properties"] as? [String: Any] ?? [:]).keys)
        for part in schema["allOf"] as? [[String: Any]] ?? [] {
            let name = (part["$ref"] as? String)?.split(separator: "/").last.map { String($0) }
            names.formUnion(members(name.flatMap { schemas[$0] } ?? part))
        }
        return names
    }

    private static func decoded<Value: Decodable>(_ json: String, as _: Value.Type) throws -> Value {
        try ClientJSON.decode(Array(json.utf8))
    }

    private static func answers() throws -> [(String, Any)] {
        let id = #"{"id":"x","state":"y","code":"z","name":"n","url":"u","number":1,"first":1,"action":"a","matched":0"#
        let json =
            id + #","changed":0,"unchanged":0,"failed":0,"type":"t","status":1,"authority":"h","first_byte":0"#
            + #","received_bytes":0,"ticket":"t","path":"p","secret":"s","counts":{},"scheme":"b","from":"f","to":"t""#
            + #","root":"r","value":"v","items":[],"progress":{}}"#
        return [
            ("Download", try decoded(json, as: Download.self)),
            ("DownloadCounters", try decoded(json, as: Download.Counters.self)),
            ("ExpectedFile", Download.Expected()), ("DownloadLimits", Download.Limits()),
            ("DownloadTimeouts", Download.Timeouts()), ("DownloadRetry", Download.Retry()),
            ("Progress", try decoded(json, as: Download.Progress.self)),
            ("Source", try decoded(json, as: Download.Source.self)),
            ("SourceStanding", try decoded(json, as: Download.Source.Standing.self)),
            ("FinishedFile", try decoded(json, as: Download.File.self)),
            ("DownloadError", try decoded(json, as: Download.Failure.self)),
            ("ShownAuthentication", try decoded(json, as: Download.Authentication.self)),
            ("DownloadPage", try decoded(json, as: Page<Download>.self)),
            ("Attempt", try decoded(json, as: Attempt.self)),
            ("ByteRange", try decoded(json, as: Attempt.ByteRange.self)),
            ("Segment", try decoded(json, as: Segment.self)), ("Probe", try decoded(json, as: ProbeReport.self)),
            ("ProbeError", try decoded(json, as: ProbeReport.Failure.self)),
            ("Operation", try decoded(json, as: Client.Operation.self)),
            ("OperationFailure", try decoded(json, as: Client.Operation.Failure.self)),
            ("ChangedSession", try decoded(json, as: Session.self)),
            ("SessionCounters", try decoded(json, as: Session.Counters.self)),
            ("SessionActed", try decoded(json, as: Session.Acted.self)),
            ("ShownSessionLimits", Session.Limits()), ("Limits", try decoded(json, as: Limits.self)),
            ("CurrentLimits", try decoded(json, as: Limits.Now.self)),
            ("ShownWindow", try decoded(json, as: Limits.Window.self)), ("Host", try decoded(json, as: Host.self)),
            ("HostEvent", try decoded(json, as: Host.Event.self)), ("Stats", try decoded(json, as: Stats.self)),
            ("DiskStats", try decoded(json, as: Stats.Disk.self)),
            ("RootStats", try decoded(json, as: Stats.Root.self)),
            ("WebhookBacklog", try decoded(json, as: Stats.Webhooks.self)),
            ("Setting", try decoded(json, as: Setting.self)), ("Health", try decoded(json, as: Health.self)),
            ("CreatedWebhook", try decoded(json, as: Webhook.self)),
            ("WebhookStats", try decoded(json, as: Webhook.Stats.self)),
            ("DeliveryDetail", try decoded(json, as: Delivery.self)),
            ("DeliveryAttempt", try decoded(json, as: Delivery.Attempt.self)),
            ("RotatedSecret", try decoded(json, as: RotatedSecret.self)),
            ("Problem", try decoded(json, as: Problem.self)),
            ("ProblemError", try decoded(json, as: Problem.Violation.self)),
            ("Ticket", try decoded(json, as: Ticket.self)),
            ("StreamProgress", try decoded(json, as: StreamItem.Reading.self)),
            ("EventPage", try decoded(json, as: EventPage.self)),
        ]
    }

    private static func requests() -> [(String, Any)] {
        [
            ("DownloadRequest", Download.Request(url: "u")), ("DownloadChange", Download.Patch()),
            ("ExpectedRequest", Download.Expected()), ("ExpectedChanges", Download.Patch.Expected()),
            ("DownloadLimitsRequest", Download.Patch.Limits()), ("DownloadTimeoutsRequest", Download.Patch.Timeouts()),
            ("DownloadRetryRequest", Download.Patch.Retry()),
            ("PasswordAuthentication", Download.Request.Authentication(scheme: "basic")),
            ("TokenAuthentication", Download.Request.Authentication(scheme: "bearer")),
            ("BulkAction", BulkAction("pause")),
            ("DownloadFilter", DownloadFilter()), ("SessionSettings", SessionSettings()),
            ("SessionChange", SessionPatch()), ("SessionLimits", SessionPatch.Limits()),
            ("LimitsSettings", LimitsSettings()), ("LimitsChange", LimitsPatch()),
            ("WebhookRequest", NewWebhook(url: "u")), ("WebhookChange", WebhookPatch()),
            ("SecretRotation", SecretRotation()), ("RecoveryRequest", Recovery(createdAfter: Date())),
        ]
    }

    @Test func everyMemberOfAResourceAndARequestIsAProperty() throws {
        for (name, value) in try Self.answers() + Self.requests() {
            let schema = try #require(schemas[name], "\(name)")
            let members = members(schema)
            let properties = Set(Mirror(reflecting: value).children.compactMap { $0.label?.lowercased() })
            let missing = members.filter { !properties.contains($0.replacing("_", with: "").lowercased()) }

            #expect(!members.isEmpty, "\(name)")
            #expect(missing.isEmpty, "\(name): \(missing.sorted())")
        }
    }

    private static func codedTypes() throws -> [(Any, keys: [any CodingKey])] {
        let json = #"{"id":"x","state":"y","name":"n","url":"u"}"#
        return [
            (try decoded(json, as: Download.self), Download.CodingKeys.allCases),
            (try decoded(json, as: Download.Source.self), Download.Source.CodingKeys.allCases),
            (Download.Request(url: "u"), Download.Request.CodingKeys.allCases),
            (Download.Patch(), Download.Patch.CodingKeys.allCases),
            (try decoded(json, as: ProbeReport.self), ProbeReport.CodingKeys.allCases),
            (try decoded(json, as: Delivery.self), Delivery.CodingKeys.allCases),
            (try decoded(json, as: Session.self), Session.CodingKeys.allCases),
            (SessionSettings(), SessionSettings.CodingKeys.allCases),
            (SessionPatch(), SessionPatch.CodingKeys.allCases),
        ]
    }

    @Test func everyPropertyHasACodingKey() throws {
        for (value, keys) in try Self.codedTypes() {
            let properties = Set(Mirror(reflecting: value).children.compactMap { $0.label?.lowercased() })

            #expect(!properties.isEmpty, "\(type(of: value))")
            #expect(properties == Set(keys.map { $0.stringValue.lowercased() }), "\(type(of: value))")
        }
    }

    /// Documents are for browsers, and a HEAD is a GET without its body.
    private static let others: Set<String> = [
        "getDescription", "getDescriptionAsJSON", "getPage", "getPageFile", "explainProblem", "headDownload",
        "headFile",
    ]

    /// The request of each operation, as ``WrittenRequests`` spells it.
    private func operations() throws -> [String: String] {
        let paths = try #require(description["paths"] as? [String: [String: Any]])
        let described = paths.flatMap { path, operations in
            operations.compactMap { method, operation -> (String, String)? in
                guard let id = (operation as? [String: Any])?["operationId"] as? String, !Self.others.contains(id)
                else { return nil }
                return (id, "\(method.uppercased()) \(path.replacing(/\{[a-z_]+\}/, with: "x"))")
            }
        }
        return Dictionary(uniqueKeysWithValues: described)
    }

    @Test func everyOperationHasAMethod() throws {
        let written = try WrittenRequests.ofPublicMethods()
        let operations = try operations()

        for (id, request) in operations { #expect(written.contains(request), "\(id): \(request)") }
        #expect(written.isSubset(of: operations.values))
    }

    /// What is written is sent. A new method needs no line here: it is made of the same parts.
    @Test func aMethodSendsItsRequest() async throws {
        let origin = Origin(
            script: [
                Behaviour {
                    $0.response = .bytes(Array("{}".utf8))
                    $0.contentType = "application/json"
                }
            ]
        )
        defer { origin.stop() }
        let client = try CormorantClient(server: origin.base)
        for call in Self.calls { try? await call(client) }
        let requests = origin.requests.map { "\($0.method) \($0.path)" }

        #expect(requests.count == Self.calls.count)
        #expect(Set(requests).count == requests.count)
        #expect(Set(requests).isSubset(of: try operations().values))
        await client.shutdown()
    }

    private static let calls: [@Sendable (CormorantClient) async throws -> Void] = [
        { _ = try await $0.createDownload(Download.Request(url: "u")) },
        { _ = try await $0.downloadPage(DownloadQuery()) },
        { _ = try await $0.createDownloads([Download.Request(url: "u")]) },
        { _ = try await $0.act(BulkAction("pause")) },
        { _ = try await $0.probe(Download.Request(url: "u")) }, { _ = try await $0.operation("x") },
        { _ = try await $0.download("x") }, { _ = try await $0.changeDownload("x", Download.Patch(action: "pause")) },
        { try await $0.deleteDownload("x") }, { _ = try await $0.file(of: "x") },
        { for try await _ in $0.attempts(of: "x") {} }, { _ = try await $0.segments(of: "x") },
        { _ = try await $0.eventPage(of: "x") }, { for try await _ in $0.sessions() {} },
        { _ = try await $0.session("x") }, { _ = try await $0.putSession("x", SessionSettings()) },
        { _ = try await $0.changeSession("x", SessionPatch()) }, { try await $0.deleteSession("x") },
        { _ = try await $0.eventPage(EventQuery()) }, { _ = try await $0.ticket(for: "/events") },
        { for try await _ in $0.hosts() {} }, { _ = try await $0.host("x") },
        { _ = try await $0.changeHost("x", rateBytesPerSecond: .clear) }, { _ = try await $0.settings() },
        { _ = try await $0.stats() }, { _ = try await $0.limits() }, { _ = try await $0.changeLimits(LimitsPatch()) },
        { _ = try await $0.putLimits(LimitsSettings()) }, { for try await _ in $0.webhooks() {} },
        { _ = try await $0.createWebhook(NewWebhook(url: "u")) }, { _ = try await $0.webhook("x") },
        { _ = try await $0.changeWebhook("x", WebhookPatch()) }, { try await $0.deleteWebhook("x") },
        { _ = try await $0.rotateSecret(of: "x") }, { _ = try await $0.ping("x") },
        { _ = try await $0.recover("x", Recovery(createdAfter: Date())) },
        { for try await _ in $0.deliveries(of: "x") {} }, { _ = try await $0.delivery("x", of: "x") },
        { _ = try await $0.redeliver("x", of: "x") }, { _ = try await $0.liveness() },
        { _ = try await $0.readiness() },
    ]
}
