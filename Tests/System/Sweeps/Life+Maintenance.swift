import API
import Foundation
import GRDB
import ServiceSupport
import TestSupport

extension Life {
    private static let content = Content(seed: 37, size: 300_000)

    /// The first start with the database of the first version: one download is completed, two are paused.
    static let migration = Life(
        name: "a migration",
        sample: Sample(stride: 65, end: 125),
        origin: ["/a": (content, [.good])],
        prepare: { run in
            run.folder.makeFolder("data")
            run.folder.makeFolder("data/downloads")
            run.folder.write("hello\n", to: "data/downloads/a.txt")
            try writeDatabaseOfFirstVersion(to: "\(run.data)/cormorant.db")
        },
        act: { run in
            let list = try await run.send("GET", "/downloads") { $0.status == 200 }
            let states = try list.json["items"]?.items.compactMap { $0["state"]?.text }.sorted()
            if states != ["completed", "paused", "paused"] {
                run.faults.append("lost: the states are \(states ?? [])")
            }
            let old = try await run.send("GET", "/downloads/dl_01m8cf6wb3eh3r5nzw7b3fd273/file") { $0.status == 200 }
            if old.text != "hello\n" { run.faults.append("corrupt: the file of the first version is \(old.text)") }
            run.endFault()
            try await run.create("/a")
            try await run.complete(run.ids[0])
            try await run.hear(of: run.ids[0])
        },
        remains: Remains(
            records: 4,
            files: ["a.txt": nil, "a": content],
            events: ["download.created": 4, "download.completed": 2, "download.file_missing": 0]
        )
    )

    private static func writeDatabaseOfFirstVersion(to path: String) throws {
        let tests = URL(filePath: #filePath).pathComponents.prefix { $0 != "System" }.joined(separator: "/")
        let dump = URL(filePath: "\(tests)/Fixtures/schema-1.sql")
        let queue = try DatabaseQueue(path: path)
        try queue.inDatabase { database in
            try database.execute(sql: String(contentsOf: dump, encoding: .utf8))
            // Its origin is not there.
            try database.execute(
                sql: """
                    UPDATE download SET
                        state = 'paused', waiting_for = NULL, next_attempt_at = NULL, paused_at = updated_at
                    WHERE state = 'waiting'
                    """
            )
        }
        try queue.close()
    }

    /// `cormorant backup` beside a service with a completed download and a paused one.
    static let backup = Life(
        name: "a backup",
        sample: Sample(stride: 50, end: 95),
        program: .command,
        origin: ["/a": (content, [.good]), "/b": (content, [.good])],
        prepare: { run in
            try await run.create("/a")
            try await run.create("/b", #","start":false"#)
            try await run.complete(run.ids[0])
            try await run.hear(of: run.ids[0])
        },
        act: { run in
            let copy = run.folder("copy.db")
            let first = try await backup(run, [copy], try run.faultyEnvironment)
            run.endFault()
            if let fault = fault(ofCopy: copy, mayBeMissing: first != 0) { run.faults.append(fault) }
            let second = try await backup(run, ["--force", copy], [:])
            if second != 0 { run.faults.append("the next backup ended with \(second)") }
            if let fault = fault(ofCopy: copy, mayBeMissing: false) { run.faults.append(fault) }
            let left = run.folder.names(in: "").filter { $0.hasPrefix(".") }
            if !left.isEmpty { run.faults.append("beside the copy is \(left)") }
            try await run.change(run.ids[1], #"{"action":"resume"}"#)
            try await run.complete(run.ids[1])
            try await run.hear(of: run.ids[1])
        },
        remains: Remains(
            records: 2,
            files: ["a": content, "b": content],
            events: ["download.created": 2, "download.completed": 2]
        )
    )

    /// - Returns: The exit code of the program.
    private static func backup(
        _ run: FaultedRun,
        _ arguments: [String],
        _ environment: [String: String]
    ) async throws -> Int32 {
        let command = ["backup", "--data-dir", run.data] + arguments
        return try await CommandRun.result(of: command, environment: environment).exitCode
    }

    /// A copy that has its name is whole.
    private static func fault(ofCopy path: String, mayBeMissing: Bool) -> String? {
        guard FileManager.default.fileExists(atPath: path) else { return mayBeMissing ? nil : "lost: no copy" }
        var configuration = Configuration()
        configuration.readonly = true
        do {
            return try DatabaseQueue(path: path, configuration: configuration).read { database in
                let check = try String.fetchOne(database, sql: "PRAGMA integrity_check") ?? ""
                let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM download") ?? 0
                return check == "ok" && count == 2 ? nil : "corrupt: a copy of \(count) downloads, \(check)"
            }
        } catch {
            return "corrupt: a copy that cannot be read, \(error)"
        }
    }
}
