public import Core

extension Store {
    /// Records that a node stopped gracefully: downloads that it leaves running do not count a crash.
    public func recordStop(of node: String, now: Timestamp) async throws {
        try await writer.write(isVital: true) { transaction in
            try transaction.execute("UPDATE node SET left_at = ? WHERE id = ?", [now, node])
        }
    }
}

extension Transaction {
    /// The nodes that stopped gracefully.
    func leftNodes() throws -> Set<String> {
        Set(try database.all(String.self, "SELECT id FROM node WHERE left_at IS NOT NULL"))
    }

    /// Records a node that starts. Lost nodes without running downloads are forgotten.
    func register(_ node: String, after lost: LostNodes, now: Timestamp) throws {
        try execute(
            """
            INSERT INTO node (id, started_at) VALUES (?1, ?2)
            ON CONFLICT (id) DO UPDATE SET started_at = ?2, left_at = NULL
            """,
            [node, now]
        )
        let forgotten = Statement("DELETE FROM node WHERE id <> ?", [node])
        try database.execute(
            forgotten + Statement("AND") + lost.condition("id")
                + Statement(
                    """
                    AND NOT EXISTS (SELECT 1 FROM download {index download_running}
                        WHERE state = 'running' AND download.node = node.id)
                    """
                )
        )
    }
}
