import Core
import ServiceSupport
import Testing

@testable import API

/// The table of members, held against `openapi.yaml` and the JSON of a download. ``MemberLockTests`` has the locks.
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

    private func expect(_ member: RequestMember, isDescribedBy schema: JSONValue) throws {
        let schema = try resolved(schema)
        switch member.content {
        case .object(let members):
            let properties = try #require(schema["properties"])
            #expect(Set(properties.names) == Set(members.map(\.name)), "\(member.name)")
            for inner in members { try expect(inner, isDescribedBy: try #require(properties[inner.name])) }
        case .value(.boolean): #expect(schema.types.contains("boolean"), "\(member.name)")
        case .value(.string): #expect(schema.types.contains("string"), "\(member.name)")
        case .value(.integer(let range)):
            #expect(schema.types.contains("integer"), "\(member.name)")
            #expect(schema["minimum"]?.integer == range.lowerBound, "\(member.name)")
            #expect(schema["maximum"]?.integer == range.upperBound, "\(member.name)")
        case .value(.words(let words)): #expect(schema["enum"]?.words == words, "\(member.name)")
        case .value(.array(let most)):
            #expect(schema.types.contains("array"), "\(member.name)")
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
}
