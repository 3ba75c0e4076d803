import API
import ServiceSupport
import TestSupport

extension Life {
    private static let content = Content(seed: 29, size: 1_500_000)
    private static let other = Content(seed: 30, size: 1_200_000)
    private static let place = #","directory":"a","filename":"b.bin""#

    /// A download is created, fetched, published, told to a webhook, and deleted.
    static let download = Life(
        name: "a download",
        sample: Sample(stride: 19, end: 630),
        // Breaks off once, so that a checkpoint and a resumption are part of the life.
        origin: ["/a": (content, [.dropping(after: 1_200_000), .good])],
        includesStop: true,
        act: { run in
            try await run.create("/a", place)
            try await run.complete(run.ids[0])
            if !content.matches(fileAt: run.path("a/b.bin")) { run.faults.append("corrupt: a wrong file") }
            try await run.hear(of: run.ids[0])
            try await run.delete(run.ids[0])
        },
        remains: Remains(
            records: 0,
            events: ["download.created": 1, "download.completed": 1, "download.deleted": 1]
        )
    )

    /// A completed download is fetched again; the origin has another version now.
    static let forcedRun = Life(
        name: "a forced run",
        sample: Sample(stride: 110, end: 220),
        origin: ["/a": (content, [.good])],
        prepare: { run in
            try await complete(run)
            run.origin.serve("/a", other, script: [.dropping(after: 1_000_000), .good])
        },
        act: { run in
            try await run.change(run.ids[0], #"{"action":"retry","force":true}"#)
            try await run.complete(run.ids[0]) { ($0["counters"]?["run"]?.integer ?? 0) > 1 }
            try await run.expectFile(of: run.ids[0], other)
            try await run.hear(2, of: run.ids[0])
        },
        faultWhileDown: { run in
            let isWhole = [content, other].contains { $0.matches(fileAt: run.path("a/b.bin")) }
            return isWhole ? nil : "lost: neither the old file nor the new one is there"
        },
        remains: Remains(
            files: ["a/b.bin": other],
            events: ["download.created": 1, "download.completed": 2]
        )
    )

    /// The file of a completed download gets another name in another folder.
    static let move = Life(
        name: "a move",
        sample: Sample(stride: 31, end: 60),
        origin: ["/a": (content, [.good])],
        prepare: { try await complete($0) },
        act: { run in
            try await run.change(run.ids[0], #"{"directory":"c","filename":"d.bin"}"#)
            try await run.complete(run.ids[0]) { $0["file"]?["path"]?.text == "c/d.bin" }
            try await run.expectFile(of: run.ids[0], content)
        },
        faultWhileDown: { run in
            let places = ["a/b.bin", "c/d.bin"].filter { content.matches(fileAt: run.path($0)) }
            return places.count == 1 ? nil : "the file is at \(places)"
        },
        remains: Remains(
            files: ["c/d.bin": content],
            events: ["download.created": 1, "download.completed": 1, "download.file_missing": 0]
        )
    )

    private static func complete(_ run: FaultedRun) async throws {
        try await run.create("/a", place)
        try await run.complete(run.ids[0])
        try await run.hear(of: run.ids[0])
    }
}
