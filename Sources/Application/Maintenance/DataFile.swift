import Linux
import Store

/// The data folder as a backup or a check sees it: nothing in it is created, locked or changed.
struct DataFile {
    static let name = "cormorant.db"

    let folder: String
    let data: StoredData

    /// - Throws: ``CommandFailure`` if there is no database, or it cannot be read.
    init(_ settings: Settings) throws {
        folder = settings.dataDirectory
        guard try Self.exists(in: folder) else {
            throw CommandFailure(
                .noInput,
                "there is no database '\(folder)/\(Self.name)'\nname the data folder of the service with --data-dir"
            )
        }
        SQLiteLibrary.useTemporaryFolder(DataFolder.temporaryPath(in: folder))
        do {
            data = try StoredData(path: "\(folder)/\(Self.name)")
        } catch {
            throw CommandFailure(reading: folder, error)
        }
    }

    private static func exists(in folder: String) throws(CommandFailure) -> Bool {
        do throws(SystemError) {
            return try Directory(path: folder).exists(name)
        } catch  where error.isMissing {
            return false
        } catch {
            throw CommandFailure(
                ExitStatus(opening: error),
                "the data folder '\(folder)' cannot be opened: \(error.message)"
            )
        }
    }
}

extension CommandFailure {
    /// The failure of a command that reads the database of a data folder.
    init(reading folder: String, _ error: StoreError) {
        let path = "\(folder)/\(DataFile.name)"
        switch error {
        case .corrupt(let detail):
            self.init(.data, "the database '\(path)' is damaged: \(detail)\n\(StoreError.damageAdvice)")
        case .cannotOpen(let detail), .failed(let detail):
            self.init(.inputOutput, "the database '\(path)' cannot be read: \(detail)")
        default:
            self.init(starting: error)
        }
    }
}
