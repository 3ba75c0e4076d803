import GRDB
import Model

extension Transaction {
    /// What is known of the blocks of the generation that is being written, ascending.
    func blocks(of download: Download) throws -> [BlockDigest] {
        // Most files are smaller than a block.
        let progress = download.progress
        guard progress.durableBytes > 0, BlockGrid.hasBlocks(progress.totalBytes ?? progress.durableBytes) else {
            return []
        }
        let statement = try database.cachedStatement(
            sql: "SELECT number, digest FROM block WHERE download = ? AND generation = ? ORDER BY number"
        )
        return try Row.fetchAll(statement, arguments: [download.id.text, download.generation]).map { row in
            var reader = RowReader(row)
            return try BlockDigest(number: reader.next(), value: UInt64(bitPattern: reader.next(Int64.self)))
        }
    }

    /// Adds what a checkpoint says of blocks to what is recorded, which stays as it is otherwise.
    func saveBlocks(_ checkpoint: Checkpoint, of download: Download) throws {
        for number in checkpoint.forgottenBlocks {
            try execute(
                "DELETE FROM block WHERE download = ? AND generation = ? AND number = ?",
                [download.id.text, download.generation, number]
            )
        }
        for block in checkpoint.blocks {
            try execute(
                """
                INSERT INTO block (download, generation, number, digest) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (download, generation, number) DO UPDATE SET digest = ?4
                """,
                [download.id.text, download.generation, block.number, Int64(bitPattern: block.value)]
            )
        }
    }

    func forgetBlocks(of download: Download) throws {
        try execute("DELETE FROM block WHERE download = ?", [download.id.text])
    }
}
