import Core

extension Database {
    /// The segments of the current generation, in order.
    func segments(of download: Download) throws -> [Segment] {
        guard download.progress.durableBytes > 0 else { return [] }
        return try all(
            """
            SELECT idx, start_byte, end_byte, durable_end FROM segment
            WHERE download = ? AND generation = ? ORDER BY idx
            """,
            [download.id, download.generation]
        ) { row in
            try Segment(
                index: row.next(),
                start: row.next(),
                end: row.next(),
                durableEnd: row.next()
            )
        }
    }
}

extension Transaction {
    /// Replaces the recorded segments. Segments are joined and split as the plan of the download changes, and a row of
    /// an older plan would claim bytes of another segment.
    func replaceSegments(of download: Download, with segments: [Segment]) throws {
        try forgetSegments(of: download)
        for segment in segments {
            try database.write(Self.segmentBatch) { row in
                row.add(download.id)
                row.add(download.generation)
                row.add(segment.index)
                row.add(segment.start)
                row.add(segment.end)
                row.add(segment.durableEnd)
            }
        }
    }

    private static let segmentBatch = RowBatch.insertion(
        into: "segment",
        ["download", "generation", "idx", "start_byte", "end_byte", "durable_end"]
    )

    func forgetSegments(of download: Download) throws {
        try execute("DELETE FROM segment WHERE download = ?", [download.id])
    }
}

extension Transaction {
    /// The block digests of the current generation, in ascending order.
    func blocks(of download: Download) throws -> [BlockDigest] {
        guard download.progress.durableBytes > 0 else { return [] }
        return try database.all(
            """
            SELECT start_byte, end_byte, digest FROM block
            WHERE download = ? AND generation = ? ORDER BY start_byte
            """,
            [download.id, download.generation]
        ) { row in
            try BlockDigest(
                start: row.next(),
                end: row.next(),
                value: UInt64(bitPattern: row.next(Int64.self))
            )
        }
    }

    /// Adds the block digests of a checkpoint. Other recorded digests are kept.
    func saveBlocks(_ checkpoint: Checkpoint, of download: Download) throws {
        for start in checkpoint.forgottenBlocks {
            try execute(
                "DELETE FROM block WHERE download = ? AND generation = ? AND start_byte = ?",
                [download.id, download.generation, start]
            )
        }
        for block in checkpoint.blocks {
            try database.write(Self.blockBatch) { row in
                row.add(download.id)
                row.add(download.generation)
                row.add(block.start)
                row.add(block.end)
                row.add(Int64(bitPattern: block.value))
            }
        }
    }

    private static let blockBatch = RowBatch.insertionOrUpdate(
        of: "block",
        ["download", "generation", "start_byte", "end_byte", "digest"],
        key: ["download", "generation", "start_byte"]
    )

    func forgetBlocks(of download: Download) throws {
        try execute("DELETE FROM block WHERE download = ?", [download.id])
    }
}
