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

    /// Records how far a segment is. What was durable stays so.
    func save(_ segment: Segment, of download: Download) throws {
        try execute(
            """
            INSERT INTO segment (download, generation, idx, start_byte, end_byte, durable_end)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (download, generation, idx) DO UPDATE SET
                end_byte = ?5, durable_end = max(durable_end, ?6)
            """,
            [
                download.id.text, download.generation, segment.index, segment.start, segment.end, segment.durableEnd,
            ]
        )
    }

    func forgetSegments(of download: Download) throws {
        try execute("DELETE FROM segment WHERE download = ?", [download.id.text])
    }

    /// The bytes that would survive the loss of power, as the segments tell them.
    func durableBytes(of download: Download) throws -> Int64 {
        let statement = try database.cachedStatement(
            sql: "SELECT sum(durable_end - start_byte) FROM segment WHERE download = ? AND generation = ?"
        )
        return try Int64.fetchOne(statement, arguments: [download.id.text, download.generation]) ?? 0
    }
}
