import Application
import ArgumentParser
import Client
import Crypto
import FoundationEssentials
import HTTPFields
import Linux

/// `cormorant cat`
struct CatCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Write the finished file of a download to standard output."
    )

    @Argument(
        help: ArgumentHelp("An id, the unique start of one, or a name.", valueName: "id"),
        completion: .custom(ShellCompletions.downloads)
    )
    var download: String

    @OptionGroup(title: "Service") var connection: ServerOptions

    func run(_ client: CormorantClient) async throws {
        let id = try await DownloadNames(client: client).id(download)
        for try await piece in try await client.file(of: id) {
            guard StandardStream.output.write(piece) else {
                throw CommandFailure(.inputOutput, "cannot write to standard output")
            }
        }
    }
}

/// `cormorant save`
struct SaveCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "save",
        abstract: "Copy the finished files of downloads from the service to this machine.",
        discussion: """
            The bytes are compared with the digest that the service recorded; a file with another one is not kept.
            """
    )

    @Argument(
        help: ArgumentHelp("Ids, unique starts of ids, or names.", valueName: "id"),
        completion: .custom(ShellCompletions.downloads)
    )
    var downloads: [String]

    @Option(help: ArgumentHelp("The name of the file, for one download only.", valueName: "name"))
    var name: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder for the files; created if missing.", valueName: "folder"),
        completion: .directory
    )
    var directory = "."

    @Flag(name: .shortAndLong, help: "Replace files of the same name.")
    var force = false

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: FileNameOutputOptions

    func validate() throws {
        guard name == nil || downloads.count == 1 else { throw ValidationError("--name is for one download.") }
        guard name?.contains("/") != true else {
            throw ValidationError("--name expects a file name. Use --directory for the folder.")
        }
    }

    func run(_ client: CormorantClient) async throws {
        let folder: Directory
        // Opening the folder says why it could not be made.
        try? FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        do {
            folder = try Directory(path: directory)
        } catch {
            throw CommandFailure(ExitStatus(opening: error), "\(directory): \(error.message)")
        }
        var results = ResultPrinter(output.output, isSeveral: downloads.count > 1)
        for id in try await DownloadNames(client: client).ids(downloads) {
            let download = try await client.download(id)
            guard download.state == "completed" else {
                throw CommandFailure(.noInput, "\(id) has no file: it is \(download.state)")
            }
            let name = name ?? download.name ?? id
            let saver = FileSaver(client: client, folder: folder, replaces: force)
            try await saver.save(download, as: name)
            let json = "{\"id\":\(RawJSON.quoted(id)),\"name\":\(RawJSON.quoted(name))}"
            try results.add(Array(json.utf8), name: id) { _ in ["saved  \(id)  \(name)".printable] }
        }
        try results.end()
    }
}

/// Copies a file from the service: under another name first, so that a file of the right name is a whole one.
private struct FileSaver {
    let client: CormorantClient
    let folder: Directory
    let replaces: Bool

    func save(_ download: Client.Download, as name: String) async throws {
        let temporary = ".\(download.id).part"
        do {
            _ = try? folder.remove(temporary)
            let file = try folder.openFile(named: temporary, access: .create, mode: Umask.fileMode)
            var hash = SHA256()
            var count: Int64 = 0
            for try await piece in try await client.file(of: download.id) {
                hash.update(data: piece)
                try file.write(piece, at: count)
                count += Int64(piece.count)
            }
            try check(download, count, hash.finalize())
            try file.synchronizeData()
            try publish(temporary, as: name)
        } catch let error as SystemError {
            _ = try? folder.remove(temporary)
            throw CommandFailure(ExitStatus(opening: error), "\(name.printable): \(error.message)")
        } catch {
            _ = try? folder.remove(temporary)
            throw error
        }
    }

    private func check(_ download: Client.Download, _ count: Int64, _ digest: SHA256Digest) throws(CommandFailure) {
        if let size = download.file?.sizeBytes, size != count {
            throw CommandFailure(.data, "\(download.id): \(count) bytes came, not \(size)")
        }
        let hex = HTTPFields.Digest(algorithm: .sha256, bytes: Array(digest)).hex
        if let expected = download.file?.digests?["sha-256"], expected != hex {
            throw CommandFailure(.data, "\(download.id): the bytes that came have the digest \(hex), not \(expected)")
        }
    }

    private func publish(_ temporary: String, as name: String) throws {
        do throws(SystemError) {
            try folder.rename(temporary, to: folder, name, replacing: replaces)
        } catch {
            guard error.isExists else { throw error }
            throw CommandFailure(.cannotCreate, "\(name.printable) exists; --force replaces it")
        }
    }
}
