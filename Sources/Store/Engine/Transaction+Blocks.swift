import GRDB
import Model

extension Transaction {
    /// The digests of the bytes of the current generation, ascending.
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

    /// Adds what a checkpoint says of blocks to what is recorded, which stays as it is otherwise.
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
