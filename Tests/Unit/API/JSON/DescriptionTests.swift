import Core
import HTTPFields
import ServiceSupport
import Testing
import TransferRules

@testable import API

/// Holds what is written against `openapi.yaml`: every member described, every required one there, at every depth.
private func check(_ value: JSONValue, against schema: JSONValue, at place: String = "") throws {
    var properties: [String: JSONValue] = [:]
    var required: [String] = []
    for part in try parts(of: schema) {
        for name in part["properties"]?.names ?? [] { properties[name] = part["properties"]?[name] }
        required += part["required"]?.words ?? []
    }
    if case .array(let items) = value, let item = schema["items"] {
        for entry in items { try check(entry, against: item, at: "\(place)[]") }
    }
    guard case .object(let members) = value, !properties.isEmpty else { return }
    #expect(Set(required).subtracting(value.names).isEmpty, "required members are missing in \(place)")
    for member in members {
        let property = properties[member.name]
        #expect(property != nil || schema["additionalProperties"] != nil, "\(place)/\(member.name) is not described")
        if let property { try check(member.value, against: property, at: "\(place)/\(member.name)") }
    }
}

/// A schema with those that it refers to.
private func parts(of schema: JSONValue) throws -> [JSONValue] {
    if let reference = schema["$ref"]?.text {
        let name = String(reference.split(separator: "/").last ?? "")
        return try parts(of: try Description.schema(name))
    }
    var result = [schema]
    for list in [schema["allOf"], schema["anyOf"], schema["oneOf"]] {
        if case .array(let schemas)? = list { for schema in schemas { result += try parts(of: schema) } }
    }
    return result
}

private func words(_ schema: String, _ property: String) throws -> [String] {
    let member = try #require(try Description.schema(schema)["properties"]?[property])
    var found = try parts(of: member)
    if let item = member["items"] { found += try parts(of: item) }
    return try #require(found.compactMap { $0["x-extensible-enum"] ?? $0["enum"] }.first).words
}

@Test(arguments: DownloadState.allCases)
func aDownloadIsWrittenAsDescribed(_ state: DownloadState) throws {
    let schema = try Description.schema("Download")

    for download in [try Samples.download(state), try Samples.full(state)] {
        let bytes = DownloadBody(download: download, fileAvailable: true).encoded()
        try check(try JSONValue(parsing: bytes), against: schema)
    }
}

@Test func theExampleHasTheMembersThatAreWritten() throws {
    let written = try JSONValue(parsing: DownloadBody(download: try Samples.full(), fileAvailable: true).encoded())
    let example = try Description.example("Download")

    #expect(example.names == written.names)
    for name in ["progress", "source", "file"] {
        #expect(example[name]?.names == written[name]?.names)
    }
}

@Test func theExampleIsWrittenLikeADownloadThatIsVerified() throws {
    var download = try Samples.full(.running)
    download.progress = Download.Progress(durableBytes: 73_400_320, totalBytes: 73_400_320)
    let reading = ProgressReading(
        phase: .verifying,
        receivedBytes: 73_400_320,
        totalBytes: 73_400_320,
        verifiedBytes: 25_165_824,
        bytesPerSecond: 524_288,
        connections: 0
    )
    let liveProgress = LiveProgress(reading, at: try #require(Instant.parse("2026-01-02T03:06:19.000Z")))

    let body = DownloadBody(download: download, liveProgress: liveProgress, fileAvailable: false)

    let written = try JSONValue(parsing: body.encoded())
    let example = try Description.example("Download")
    try check(written, against: try Description.schema("Download"))
    #expect(written["phase"] == example["phase"])
    #expect(written["progress"]?.canonical == example["progress"]?.canonical)
}

@Test(arguments: ["SessionFinishedEvent", "WebhookDisabledEvent"])
func theExamplesOfEventsAreAsDescribed(_ name: String) throws {
    let family = name.hasPrefix("Session") ? "Session" : "Webhook"
    let schema = try Description.schema("\(family)Event")

    try check(try Description.example(name), against: schema)
}

@Test func anEventIsWrittenAsDescribed() throws {
    let restart = Event.Restart(reason: "changed", discardedBytes: 9)
    let subject = Event.Subject.download(try Samples.full(), previousState: .running, restart: restart)
    let id = try #require(EventID("evt_01kdyak3seeek83cp3tkjzc1rr"))
    let event = Event(id: id, sequence: 7, type: .downloadRestarted, at: Timestamp(milliseconds: 0), subject: subject)

    try check(
        try JSONValue(parsing: JSONEncoding.encode(event: event)),
        against: try Description.schema("DownloadEvent")
    )
}

@Test func aSessionIsWrittenAsDescribed() throws {
    var session = Session(name: try #require(SessionName("s")), createdAt: Timestamp(milliseconds: 0))
    session.epoch = 1
    session.openCount = 1
    session.finishedAt = nil
    let summary = SessionSummary(session: session, counts: [.queued: 1], receivedBytes: 0, totalBytes: 0)
    let page = PageBody(items: [SessionBody(summary)])

    try check(try JSONValue(parsing: SessionBody(summary).encoded()), against: try Description.schema("Session"))
    try check(try JSONValue(parsing: page.encoded()), against: try Description.schema("SessionPage"))
    #expect(try Description.example("Session").names == JSONValue(parsing: SessionBody(summary).encoded()).names)
    let acted = SessionBody(summary, acted: SessionActionResult(action: .pause, matched: 1, changed: 1))
    let written = try JSONValue(parsing: acted.encoded())
    try check(written, against: try Description.schema("ChangedSession"))
    #expect(acted.etag == SessionBody(summary).etag)
}

@Test func theLimitsAreWrittenAsDescribed() throws {
    let time = try #require(TimeOfDay("08:00"))
    let window = RateWindow(days: [.monday], from: time, to: time, limit: .bytesPerSecond(2048))
    let settings = ServiceLimits(bytesPerSecond: 4096, schedule: RateSchedule(windows: [window]))
    let stored = StoredLimits(replacements: .init(bytesPerSecond: .unlimited), revision: 1)
    let view = LimitsView(settings: settings, stored: stored, at: Timestamp(milliseconds: 0), utcOffsetMinutes: 0)
    let written = try JSONValue(parsing: LimitsBody(view).encoded())

    try check(written, against: try Description.schema("Limits"))
    #expect(try Description.example("Limits").names == written.names)
    let replaceable = try #require(try Description.schema("LimitsSettings")["properties"]).names
    #expect(try words("Limits", "replaced") == replaceable)
}

@Test func aHostIsWrittenAsDescribed() throws {
    let snapshot = HostGovernor(maxLimit: 8).snapshot(at: Timestamp(milliseconds: 0), open: 0)
    let host = HostView(
        authority: "a.example:443",
        snapshot: snapshot,
        claimsDeferredUntil: nil,
        refusesRangesUntil: nil,
        bytesPerSecond: 4096
    )
    let written = try JSONValue(parsing: HostBody(host).encoded())

    try check(written, against: try Description.schema("Host"))
    #expect(try Description.example("Host").names == written.names)
}

@Test func healthIsWrittenAsDescribed() throws {
    let health = HealthBody(checks: [HealthBody.Check(name: "a", isHealthy: false, detail: "b")])

    #expect(!health.isHealthy)
    try check(try JSONValue(parsing: health.encoded()), against: try Description.schema("Health"))
}

@Test func theWordsAreThoseOfTheModel() throws {
    #expect(try words("DownloadCore", "state") == DownloadState.allCases.map(\.rawValue))
    #expect(try words("DownloadCore", "phase") == DownloadPhase.allCases.map(\.rawValue))
    #expect(try words("DownloadCore", "waiting_for") == WaitingFor.allCases.map(\.rawValue) + [QueueDeferral.pauseWord])
    #expect(try words("DownloadCore", "allowed_actions") == DownloadAction.allCases.map(\.rawValue))
    #expect(try words("DownloadCore", "on_conflict") == ConflictPolicy.allCases.map(\.rawValue))
    #expect(try words("DownloadChange", "action") == DownloadAction.allCases.map(\.rawValue))
    #expect(try words("SessionChange", "action") == SessionAction.allCases.map(\.rawValue))
    #expect(try words("SessionActed", "action") == SessionAction.allCases.map(\.rawValue))
    #expect(try words("BulkAction", "action") == BulkAction.allCases.map(\.rawValue))
    #expect(try words("OperationMembers", "action") == BulkAction.allCases.map(\.rawValue))
    #expect(try words("OperationFailure", "code") == BulkFailure.Reason.allCases.map(\.rawValue))
    #expect(try words("DownloadRequest", "on_conflict") == ConflictPolicy.allCases.map(\.rawValue))
    #expect(Set(try words("DownloadError", "code")) == Set(DownloadError.Code.allCases.map(\.rawValue)))
    #expect(try words("ProblemError", "code") == Violation.Code.allCases.map(\.rawValue))
    #expect(try words("Problem", "reason") == DestinationReason.allCases.map(\.rawValue))
    #expect(try words("Problem", "type") == ProblemType.allCases.map(\.path))
    let events =
        try words("DownloadEvent", "type") + words("SessionEvent", "type")
        + words("OperationEvent", "type") + words("WebhookEvent", "type")
    #expect(Set(events) == Set(EventType.allCases.map(\.rawValue)))
    let digests = try #require(try Description.schema("Digests")["properties"]).names
    #expect(digests == DigestAlgorithm.allCases.map(\.rawValue))
    let logged = try #require(try Description.schema("LoggedEvent")["discriminator"]?["mapping"])
    #expect(Set(logged.names) == Set(events))
    #expect(try words("Delivery", "state") == DeliveryState.allCases.map(\.rawValue))
    #expect(try words("Webhook", "created_by") == Webhook.Creator.allCases.map(\.rawValue))
    let reasons = try #require(try Description.schema("DisabledReason")["x-extensible-enum"]).words
    #expect(reasons == DisablingReason.allCases.map(\.rawValue))
}

@Test func everyProblemIsDescribedAndItsExampleIsOfItsType() throws {
    let responses = try Description.at("components", "responses")
    let descriptions = responses.names.compactMap { responses[$0]?["description"]?.text }.joined()

    for response in responses.names {
        let media = responses[response]?["content"]?["application/problem+json"]
        for slug in media?["examples"]?.names ?? [] {
            let value = try #require(media?["examples"]?[slug]?["value"])
            let type = try #require(ProblemType(rawValue: slug))
            #expect(value["type"] == .string(type.path) && value["status"] == .number("\(type.status)"))
            #expect(value["title"] == .string(type.title))
            try check(value, against: try Description.schema("Problem"))
        }
    }
    for type in ProblemType.allCases { #expect(descriptions.contains("`\(type.slug)`"), "\(type.slug)") }
}

@Test(arguments: RequestFieldRules.reserved.sorted() + ["proxy-authorization", "proxy-"])
func aReservedHeaderFieldIsDescribedAndRefusedHoweverItIsWritten(_ name: String) throws {
    let description = try #require(try Description.schema("RequestHeaderName")["description"]?.text).lowercased()

    #expect(description.contains(name.hasPrefix("proxy-") ? "`proxy-`" : "`\(name)`"))
    for spelling in [name, name.uppercased(), name.prefix(1).uppercased() + name.dropFirst()] {
        #expect(RequestFieldRules.isReserved(spelling))
    }
}

@Test(arguments: ["x-range", "range-x", "hosts", "if-", "if-matches", "accept", "authorization", "cookie", "xproxy-a"])
func anyOtherHeaderFieldIsTheClients(_ name: String) {
    #expect(!RequestFieldRules.isReserved(name))
}

/// Webhooks have one operation: each type leads to its schema, and has a row of the table.
@Test func everyEventIsDescribed() throws {
    let mapping = try Description.at("components", "schemas", "Event", "discriminator", "mapping")
    let description = try #require(try Description.at("webhooks", "event", "post", "description").text)

    #expect(Set(mapping.names) == Set(EventType.allCases.map(\.rawValue)))
    for type in mapping.names {
        let schema = try #require(mapping[type]?.text?.split(separator: "/").last)
        #expect(try words(String(schema), "type").contains(type))
        #expect(description.contains("| `\(type)` |"))
    }
}

/// Every type and every family of them that `types` takes, and nothing else.
@Test func theTypesOfEventsAreThoseThatAreTaken() throws {
    let types = try Description.at("components", "parameters", "EventTypes", "schema", "items", "enum").words
    let words: [String] = EventType.allCases.map(\.rawValue) + [EventPattern.progress]
    let families: [String] = words.map { String($0.prefix { $0 != "." }) + ".*" }
    let taken = Set(words + families + ["*"])

    #expect(Set(types) == taken)
    #expect(types.allSatisfy { EventPattern($0) != nil })
}
