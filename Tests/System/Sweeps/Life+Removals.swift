import API
import ServiceSupport
import TestSupport

extension Life {
    private static let content = Content(seed: 31, size: 300_000)

    /// The time of a finished file is over.
    static let expiry = Life(
        name: "an expiry",
        sample: Sample(stride: 40, end: 40),
        isFast: true,
        origin: ["/a": (content, [.good])],
        prepare: { run in
            try await run.create("/a")
            try await run.complete(run.ids[0])
            try await run.hear(of: run.ids[0])
        },
        act: { run in
            try await run.change(run.ids[0], #"{"keep_file_seconds":0}"#)
            // A look at the download or its events opens the file.
            try await run.send("GET", "/livez") { _ in !run.folder.names(in: "data/downloads").contains("a") }
            try await run.send("GET", "/downloads/\(run.ids[0])/events") { $0.text.contains(#""file.expired""#) }
        },
        faultWhileDown: { run in
            let isGone = !run.folder.names(in: "data/downloads").contains("a")
            return isGone || content.matches(fileAt: run.path("a"))
                ? nil : "corrupt: the file is neither whole nor gone"
        },
        remains: Remains(
            events: [
                "download.created": 1, "download.completed": 1, "file.expired": 1, "download.file_missing": 0,
            ]
        )
    )

    /// One operation deletes three completed downloads with their files, and one that waits with a part file.
    static let bulkDeletion = Life(
        name: "a bulk deletion",
        sample: Sample(stride: 60, end: 110),
        isFast: true,
        origin: [
            "/1": (content, [.good]), "/2": (content, [.good]), "/3": (content, [.good]),
            "/part": (content, [.dropping(after: 200_000), .page(401)]),
        ],
        prepare: { run in
            for path in ["/1", "/2", "/3"] { try await run.create(path) }
            for id in run.ids {
                try await run.complete(id)
                try await run.hear(of: id)
            }
            try await run.create("/part")
            try await run.send("GET", "/downloads/\(run.ids[3])") {
                try $0.json["waiting_for"]?.text == "credentials"
            }
        },
        act: { run in
            try await run.deleteAll()
            try await run.send("GET", "/livez") { _ in
                !run.webhookIDs("download.cancelled", of: run.ids[3]).isEmpty
            }
        },
        faultWhileDown: { run in
            let damaged = run.folder.names(in: "data/downloads").filter { !content.matches(fileAt: run.path($0)) }
            return damaged.isEmpty ? nil : "corrupt: \(damaged)"
        },
        remains: Remains(
            records: 0,
            // A file is removed before its record. If the service ends in between, the file may be reported missing.
            events: [
                "download.created": 4, "download.completed": 3, "download.cancelled": 1, "download.deleted": 4,
            ]
        )
    )
}
