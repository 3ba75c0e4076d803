import API
import Core
import Linux
import ServiceSupport
import TestSupport
import Testing

@testable import Service
@testable import Store

extension TestService {
    /// Sends a request, and holds the answer against `openapi.yaml` and against what every answer has.
    func request(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        fields: [(String, String)] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> ReceivedResponse {
        let response = try await send(method, target, body, fields: fields)
        let violations = Contract.shared.violations(response, to: method, target)
        #expect(violations == [], sourceLocation: sourceLocation)
        response.expectSafeFields(sourceLocation)
        return response
    }

    /// Makes a download that completes, and returns its id.
    func complete(_ url: String, _ members: String = "") async throws -> String {
        let id = try await add(url, members)
        try await wait(id, .completed)
        return id
    }
}

extension ReceivedResponse {
    /// Whatever a browser is made to ask for, it neither guesses a type, nor runs, frames, stores or tells it.
    func expectSafeFields(_ sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(self["x-content-type-options"] == "nosniff", sourceLocation: sourceLocation)
        #expect(self["referrer-policy"] == "no-referrer", sourceLocation: sourceLocation)
        #expect(self["content-security-policy"]?.contains("default-src 'none'") == true, sourceLocation: sourceLocation)
        #expect(self["cache-control"] != nil, sourceLocation: sourceLocation)
        #expect(self["x-request-id"] != nil, sourceLocation: sourceLocation)
        #expect(self["cross-origin-resource-policy"] == "same-origin", sourceLocation: sourceLocation)
        #expect(self["access-control-allow-credentials"] == nil, sourceLocation: sourceLocation)
    }

    /// The pointers of a problem's errors.
    var pointers: [String] { ((try? json["errors"]?.items) ?? []).compactMap { $0["pointer"]?.text } }

    /// The pointers of a problem's errors, each with its code: `/labels too_many`.
    var violations: [String] {
        ((try? json["errors"]?.items) ?? []).compactMap { error in
            guard let pointer = error["pointer"]?.text, let code = error["code"]?.text else { return nil }
            return "\(pointer) \(code)"
        }
    }
}

extension TestService {
    /// The names of the part files.
    var parts: [String] {
        get throws { try Directory(path: folder("parts")).entries().sorted() }
    }

    /// Waits until no worker is left. A claim may still register one when the last has ended.
    func hasNoWorkers() async throws {
        try await poll("no worker", because: .counter) {
            running.readings.map(\.id)
        } is: {
            $0.isEmpty
        }
    }

    /// The names in the downloads folder.
    var files: [String] {
        get throws { try Directory(path: folder("downloads")).entries().sorted() }
    }
}

extension Store {
    /// Makes each change of a download need more room than the database may take.
    func fillDisk() async throws {
        try await execute("CREATE TABLE filler (bytes BLOB)")
        try await execute(
            """
            CREATE TEMP TRIGGER fills AFTER UPDATE ON main.download
            BEGIN INSERT INTO filler VALUES (randomblob(1048576)); END
            """
        )
        try await execute("PRAGMA main.max_page_count = 1")
    }

    func emptyDisk() async throws {
        try await execute("DROP TRIGGER temp.fills")
        try await execute("PRAGMA main.max_page_count = 1000000")
    }
}
