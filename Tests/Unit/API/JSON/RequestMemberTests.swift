import Core
import ServiceSupport
import Testing

@testable import API

/// The table of members, held against `openapi.yaml`, the JSON of a download, and the locks of the states.
@Suite struct RequestMemberTests {
    private static let otherMembers: Set<String> = [
        "url", "directory", "expected", "request_headers", "authentication", "cookies", "method", "body", "proxy",
        "expires_at", "keep_file_seconds", "start", "labels", "metadata",
    ]

    @Test func eachMemberOfAPOSTIsInTheTableOrHasItsOwnCode() throws {
        let described = try #require(try Description.schema("DownloadRequest")["properties"]).names

        let table = Set(RequestMember.all.map(\.name))
        #expect(table.isDisjoint(with: Self.otherMembers))
        #expect(table.union(Self.otherMembers) == Set(described))
    }

    @Test(arguments: ["DownloadRequest", "DownloadChange"])
    func theSchemaOfAMemberIsDescribed(_ schema: String) throws {
        let properties = try #require(try Description.schema(schema)["properties"])
        for member in RequestMember.all where schema == "DownloadRequest" || member.isChangeable {
            try expect(member, isDescribedBy: try #require(properties[member.name], "no \(member.name)"))
        }
    }

    @Test func aPATCHHasTheMembersThatCanBeChanged() throws {
        let described = Set(try #require(try Description.schema("DownloadChange")["properties"]).names)

        let changeable = Set(RequestMember.all.filter(\.isChangeable).map(\.name))
        #expect(changeable.isSubset(of: described))
        #expect(Set(RequestMember.all.map(\.name)).intersection(described) == changeable)
    }

    @Test func aShownDownloadHasEveryMemberOfTheTable() throws {
        let body = DownloadBody(download: try Samples.full(), fileAvailable: true)
        let shown = try JSONValue(parsing: body.encoded())

        for member in RequestMember.all {
            let value = shown[member.name]
            #expect(value != nil, "no \(member.name)")
            guard case .object(let members) = member.content else { continue }
            for inner in members { #expect(value?[inner.name] != nil, "no \(inner.name)") }
        }
    }

    private static let changes: [(json: String, lockedIn: Set<DownloadState>)] = [
        (#"{"mirrors":["http://b/"]}"#, [.running, .completed]), (#"{"accept_html":true}"#, [.running, .completed]),
        (#"{"refresh_url":"http://b/"}"#, [.completed]), (#"{"filename":"a"}"#, [.completed]), (#"{"root":null}"#, []),
        (#"{"session":"s"}"#, [.failed, .cancelled, .completed]),
        (#"{"webhook_ids":[]}"#, [.failed, .cancelled, .completed]),
        (#"{"deadline_at":"2026-01-09T03:04:05Z"}"#, [.failed, .cancelled, .completed]),
        (#"{"limits":{"max_bytes":1}}"#, [.failed, .cancelled, .completed]),
        (#"{"limits":{"rate_bytes_per_second":2048}}"#, [.failed, .cancelled, .completed]),
        (#"{"limits":{"connections":1}}"#, [.failed, .cancelled, .completed]),
        (#"{"max_attempts":1}"#, [.failed, .cancelled, .completed]),
        (#"{"timeouts":{"connect_seconds":1}}"#, [.failed, .cancelled, .completed]),
        (#"{"timeouts":{"silence_seconds":1}}"#, [.failed, .cancelled, .completed]),
        (#"{"timeouts":{"give_up_seconds":1}}"#, [.failed, .cancelled, .completed]),
        (#"{"retry":{"delay_seconds":1}}"#, [.failed, .cancelled, .completed]),
        (#"{"retry":{"max_delay_seconds":1}}"#, [.failed, .cancelled, .completed]),
        (#"{"retry":{"statuses":[503]}}"#, [.failed, .cancelled, .completed]),
        (#"{"priority":1}"#, [.failed, .cancelled, .completed]),
        (#"{"not_before_at":null}"#, [.running, .failed, .cancelled, .completed]), (#"{"description":null}"#, []),
    ]

    @Test(arguments: changes)
    func aMemberIsLockedInTheStatesThatNoLongerUseIt(_ json: String, _ states: Set<DownloadState>) throws {
        let patch = try DownloadPatch(parsing: Array(json.utf8))
        let name = try #require(try JSONValue(parsing: Array(json.utf8)).names.first)

        #expect(!patch.edit.isEmpty)
        for state in DownloadState.allCases {
            #expect(patch.edit.lockedMembers(in: state) == (states.contains(state) ? [name] : []))
        }
    }

    @Test func theLocksOfAllChangeableMembersAreTested() throws {
        let tested = try Self.changes.map { try JSONValue(parsing: Array($0.json.utf8)).paths.first }

        let members = RequestMember.all.filter(\.isChangeable).flatMap { member in
            guard case .object(let members) = member.content else { return [member.name] }
            return members.map { "\(member.name)/\($0.name)" }
        }
        #expect(Set(tested) == Set(members))
    }

    private func expect(_ member: RequestMember, isDescribedBy schema: JSONValue) throws {
        let schema = try resolved(schema)
        switch member.content {
        case .object(let members):
            let properties = try #require(schema["properties"])
            #expect(Set(properties.names) == Set(members.map(\.name)), "\(member.name)")
            for inner in members { try expect(inner, isDescribedBy: try #require(properties[inner.name])) }
        case .value(.boolean): #expect(types(schema).contains("boolean"), "\(member.name)")
        case .value(.string): #expect(types(schema).contains("string"), "\(member.name)")
        case .value(.integer(let range)):
            #expect(types(schema).contains("integer"), "\(member.name)")
            #expect(schema["minimum"]?.integer == range.lowerBound, "\(member.name)")
            #expect(schema["maximum"]?.integer == range.upperBound, "\(member.name)")
        case .value(.words(let words)): #expect(schema["enum"]?.texts == words, "\(member.name)")
        case .value(.array(let most)):
            #expect(types(schema).contains("array"), "\(member.name)")
            #expect(schema["maxItems"]?.integer == Int64(most), "\(member.name)")
        }
    }

    /// The schema behind references and "or null".
    private func resolved(_ schema: JSONValue) throws -> JSONValue {
        if case .string(let reference)? = schema["$ref"] {
            let name = try #require(reference.split(separator: "/").last)
            return try resolved(try Description.schema(String(name)))
        }
        if case .array(let choices)? = schema["anyOf"], let first = choices.first { return try resolved(first) }
        return schema
    }

    private func types(_ schema: JSONValue) -> [String] {
        if case .string(let type)? = schema["type"] { return [type] }
        return schema["type"]?.texts ?? []
    }
}

extension JSONValue {
    fileprivate var texts: [String] {
        guard case .array(let items) = self else { return [] }
        return items.compactMap { item in
            guard case .string(let text) = item else { return nil }
            return text
        }
    }

    /// The paths of the members that are no objects.
    fileprivate var paths: [String] {
        guard case .object(let members) = self else { return [] }
        return members.flatMap { member in
            guard case .object = member.value else { return [member.name] }
            return member.value.paths.map { "\(member.name)/\($0)" }
        }
    }
}
