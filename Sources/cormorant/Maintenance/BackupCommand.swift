import Application
import ArgumentParser
import Linux

/// `cormorant backup`
struct BackupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup",
        abstract: "Copy the database of a service, which may be running, to a file.",
        discussion: """
            The copy has the state of one instant, is checked, and is on the disk when the command ends. It holds the \
            records, not the files. Its credentials can be read only with the key in the data folder: keep a copy of \
            that file too. The data folder is read directly; no service is asked. To restore the copy, stop the \
            service, remove cormorant.db-wal and cormorant.db-shm, and put it in the place of cormorant.db.
            """
    )

    @Argument(help: ArgumentHelp("The new file.", valueName: "file"), completion: .file())
    var file: String

    @Flag(name: .shortAndLong, help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var data: DataArguments

    func run() throws {
        let backup = try Backup(of: try data.load(), to: file, replaces: force)
        try StandardStream.output.put(
            """
            \(file.printable): \(ByteSize.rounded(backup.sizeBytes)), \(backup.downloads) downloads
            The key to its credentials is in \(backup.keyFile.printable): keep a copy of that file too.

            """
        )
    }
}
