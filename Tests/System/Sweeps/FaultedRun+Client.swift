import API
import ServiceSupport
import TestSupport

/// The requests of a client, each repeated until it is answered.
extension FaultedRun {
    /// Creates a download of a path of the origin.
    ///
    /// - Parameter members: Others than `url`, as JSON; each with a comma before it.
    func create(_ path: String, _ members: String = "") async throws {
        let body = #"{"url":"\#(origin.url(path))"\#(members)}"#
        let response = try await send("POST", "/downloads", body, [key("create \(path)")]) { $0.status == 201 }
        ids.append(try response.json["id"]?.text ?? "")
    }

    /// Changes a download.
    func change(_ id: String, _ change: String) async throws {
        try await send("PATCH", "/downloads/\(id)", change, [key(change)]) { $0.status == 200 }
    }

    /// Waits until a download is completed.
    ///
    /// - Parameter isReached: What else is to hold.
    func complete(_ id: String, and isReached: (JSONValue) -> Bool = { _ in true }) async throws {
        try await send("GET", "/downloads/\(id)") { response in
            let download = try response.json
            let state = download["state"]?.text ?? ""
            if let action = ["waiting": "resume", "failed": "retry"][state] {
                _ = try await self.once("PATCH", "/downloads/\(id)", #"{"action":"\#(action)"}"#)
            }
            if response.status == 404 { self.faults.append("lost: the download is gone") }
            return state == "completed" && isReached(download) || response.status == 404
        }
    }

    /// Waits until as many completions of a download have come to the webhook.
    func hear(_ count: Int = 1, of id: String) async throws {
        try await send("GET", "/livez") { _ in self.webhookIDs("download.completed", of: id).count >= count }
    }

    /// Deletes all downloads by operations, of which a second one takes what the first could not.
    func deleteAll() async throws {
        for number in 1... {
            let operation = try await send(
                "POST",
                "/downloads/actions",
                #"{"action":"delete","filter":{},"force":true}"#,
                [key("delete all \(number)")]
            ) { $0.status == 202 }
            let id = try operation.json["id"]?.text ?? ""
            try await send("GET", "/operations/\(id)") { try $0.json["state"]?.text == "finished" }
            let left = try await send("GET", "/downloads") { $0.status == 200 }
            if try left.json["items"]?.items.isEmpty == true { return }
        }
    }

    func delete(_ id: String) async throws {
        // One whose answer was lost may have happened.
        try await send("DELETE", "/downloads/\(id)") { [204, 404].contains($0.status) }
    }

    /// The file of a download as clients receive it.
    func expectFile(of id: String, _ content: Content) async throws {
        let response = try await send("GET", "/downloads/\(id)/file") { [200, 404, 410].contains($0.status) }
        guard response.body != content.allBytes else { return }
        faults.append("corrupt: \(response.status) with \(response.body.count) bytes")
    }

    private func key(_ text: String) -> (String, String) {
        ("Idempotency-Key", "\"\(String(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }))\"")
    }
}
