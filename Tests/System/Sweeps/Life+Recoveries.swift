extension Life {
    /// Lives whose first service is killed at a hard place, and whose second one has the fault.
    static let recoveries = [
        download.recovering(after: HardPlace(kill: .killAfter, kind: .rename, path: "downloads/")),
        move.recovering(after: HardPlace(kill: .killAfter, kind: .rename, path: "downloads/")),
        forcedRun.recovering(after: HardPlace(kill: .killAfter, kind: .rename, path: "downloads/")),
        expiry.recovering(after: HardPlace(kill: .killAfter, kind: .unlink, path: "downloads/")),
        bulkDeletion.recovering(after: HardPlace(kill: .killAfter, kind: .unlink, number: 2, path: "downloads/")),
        migration.recovering(after: HardPlace(kill: .killHalfway, kind: .pwrite, number: 40, path: "cormorant.db")),
    ]
}
