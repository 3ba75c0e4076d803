import Core
import GRDB

extension Database {
    /// The segments of the current generation, in order.
    func segments(of download: Download) throws -> [Segment] {
        guard download.progress.durableBytes > 0 else { return [] }
        let statement = try cachedStatement(
            sql: """
                SELECT idx, start_byte, end_byte, durable_end FROM segment
                WHERE download = ? AND generation = ? ORDER BY idx
                """
        )
        return try Row.fetchAll(statement, arguments: [download.id.text, download.generation]).map { row in
            var reader = RowReader(row)
            return try Segment(
                index: reader.next(),
                start: reader.next(),
                end: reader.next(),
                durableEnd: reader.next()
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
            try execute(
                """
                INSERT INTO segment (download, generation, idx, start_byte, end_byte, durable_end)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
                [
                    download.id.text, download.generation, segment.index, segment.start, segment.end,
                    segment.durableEnd,
                ]
            )
        }
    }

    func forgetSegments(of download: Download) throws {
        try execute("DELETE FROM segment WHERE download = ?", [download.id.text])
    }
}

extension Transaction {
    /// The block digests of the current generation, in ascending order.
    func blocks(of download: Download) throws -> [BlockDigest] {
        guard download.progress.durableBytes > 0 else { return [] }
        let statement = try database.cachedStatement(
            sql: """
                SELECT start_byte, end_byte, digest FROM block
                WHERE download = ? AND generation = ? ORDER BY start_byte
                """
        )
        return try Row.fetchAll(statement, arguments: [download.id.text, download.generation]).map { row in
            var reader = RowReader(row)
            return try BlockDigest(
                start: reader.next(),
                end: reader.next(),
                value: UInt64(bitPattern: reader.next(Int64.self))
            )
        }
    }

    /// Adds the block digests of a checkpoint. Other recorded digests are kept.
    func saveBlocks(_ checkpoint: Checkpoint, of download: Download) throws {
        for start in checkpoint.forgottenBlocks {
            try execute(
                "DELETE FROM block WHERE download = ? AND generation = ? AND start_byte = ?",
                [download.id.text, download.generation, start]
            )
        }
        for block in checkpoint.blocks {
            try execute(
                """
                INSERT INTO block (download, generation, start_byte, end_byte, digest) VALUES (?1, ?2, ?3, ?4, ?5)
                ON CONFLICT (download, generation, start_byte) DO UPDATE SET end_byte = ?4, digest = ?5
                """,
                [
                    download.id.text, download.generation, block.start, block.end,
                    Int64(bitPattern: block.value),
                ]
            )
        }
    }

    func forgetBlocks(of download: Download) throws {
        try execute("DELETE FROM block WHERE download = ?", [download.id.text])
    }
}
