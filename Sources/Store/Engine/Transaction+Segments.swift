import GRDB
import Model

extension Transaction {
    /// The segments of the generation that is being written, in their order.
    func segments(of download: Download) throws -> [Segment] {
        guard download.progress.durableBytes > 0 else { return [] }
        let statement = try database.cachedStatement(
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
                end: reader.optional(),
                durableEnd: reader.next()
            )
        }
    }

    /// Records which bytes are durable, in place of what was recorded: segments are joined and split as the plan of the
    /// download goes, and a row of an older plan would claim bytes of another segment.
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
