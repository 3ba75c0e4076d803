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

    /// The names in the description are those that are written, no more and no fewer: in the full download, in the
    /// parts of it that `fields` selects, and where they are required.
    @Test func theDescriptionHasEveryMemberOfAShownDownload() throws {
        let body = DownloadBody(download: try Samples.full(), fileAvailable: true)
        let written = Set(try JSONValue(parsing: body.encoded()).names)

        #expect(Set(try #require(try Description.schema("DownloadMember")["enum"]).words) == written)
        #expect(Set(try #require(try Description.schema("PartialDownload")["properties"]).names) == written)
        let parts = try ["DownloadCore", "DownloadDetails"].map { try Description.schema($0) }
        #expect(Set(parts.flatMap { $0["properties"]?.names ?? [] }) == written)
        for part in parts { #expect(Set(part["required"]?.words ?? []) == Set(part["properties"]?.names ?? [])) }
    }

    @Test func aShownMemberIsRequiredAndTheSameInPartOfADownload() throws {
        let whole = try ["DownloadCore", "DownloadDetails"].map {
            try #require(try Description.schema($0)["properties"])
        }
        let part = try #require(try Description.schema("PartialDownload")["properties"])
        for member in RequestMember.all {
            let described = whole.compactMap { $0[member.name] }
            let schema = try resolved(try #require(described.first, "no \(member.name)"))
            let partial = try resolved(try #require(part[member.name], "no \(member.name)"))
            #expect(schema.types == partial.types, "\(member.name)")
            guard case .object(let members) = member.content else { continue }
            for object in [schema, partial] {
                #expect(Set(object["properties"]?.names ?? []) == Set(members.map(\.name)), "\(member.name)")
                #expect(Set(object["required"]?.words ?? []) == Set(members.map(\.name)), "\(member.name)")
            }
        }
    }

    /// What the example of a `POST` with every member lacks, and why.
    private static let notInTheExample = [
        "method": "it is a GET", "body": "a GET has none", "proxy": "the settings may forbid it",
        "root": "a setting names the roots", "callback_url": "a setting allows it",
        "webhook_ids": "a webhook must be there", "expires_at": "keep_file_seconds excludes it",
    ]

    @Test func theExampleOfAPOSTHasEveryMember() throws {
        let media = try Description.at("paths", "/downloads", "post", "requestBody", "content", "application/json")
        let example = try #require(media["examples"]?["full"]?["value"])
        let described = Contract.shared.members(of: "DownloadRequest").filter { $0.value(in: example) == nil }

        #expect(described.map(\.path).sorted() == Self.notInTheExample.keys.sorted())
    }

    /// A text of the greatest length is accepted, a longer one is refused.
    @Test(arguments: ["DownloadRequest", "DownloadChange"])
    func aTextMayBeAsLongAsDescribed(_ schema: String) throws {
        let names = Set(RequestMember.all.map(\.name))
        for member in Contract.shared.members(of: schema) where names.contains(member.owner) {
            guard member.schema.types.contains("string"), member.schema["enum"] == nil,
                member.schema["format"]?.text != "date-time"
            else { continue }
            let most = try #require(member.schema["maxLength"]?.integer, "no maxLength of \(member.path)")
            let example = try #require(member.example?.text, "no example of \(member.path)")
            for length in [Int(most), Int(most) + 1] {
                let text = example + String(repeating: "a", count: length - example.count)
                #expect(isTaken(member, .string(text), in: schema) == (length == most), "\(member.path): \(length)")
            }
        }
    }

    private func isTaken(_ member: DescribedMember, _ value: JSONValue, in schema: String) -> Bool {
        guard schema == "DownloadRequest" else {
            return (try? DownloadPatch(parsing: member.object(value).bytes)) != nil
        }
        let body = member.object(value, with: [.init("url", .string("http://a.example/"))])
        return (try? RequestedDownload(parsing: body.bytes)) != nil
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
