import Application
import ArgumentParser
import Core
import Curl
import HTTPFields

/// `cormorant get`
struct GetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Download files at once, without a service.",
        discussion: GetCommand.exitCodes
    )

    @OptionGroup var source: URLArguments

    @Option(name: .shortAndLong, help: ArgumentHelp("The name of the file; for one URL only.", valueName: "name"))
    var output: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The folder for the files; created if missing.", valueName: "folder")
    )
    var directory = "."

    @Option(help: ArgumentHelp("If the name is taken: rename, overwrite or fail.", valueName: "policy"))
    var onConflict = "rename"

    @OptionGroup var file: FileOptions

    @Flag(help: "Accept a web page, even if the file's name is that of another file.")
    var acceptHtml = false

    @Flag(inversion: .prefixedNo, help: "Give the file the modification time that the origin states.")
    var preserveMtime = true

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header field, 'Name: value', or @file with one per line.", valueName: "field")
    )
    var header: [String] = []

    @Option(name: .shortAndLong, help: ArgumentHelp("How many files at once.", valueName: "number"))
    var jobs = 4

    @Option(help: ArgumentHelp("How long to retry without progress.", valueName: "duration"))
    var retryFor = "15m"

    @Option(
        help: ArgumentHelp("Certificates to trust in place of the system's.", valueName: "file"),
        completion: .file()
    )
    var caFile: String?

    @Option(
        help: ArgumentHelp(
            "The client certificate for a host, in PEM; repeatable.",
            valueName: "host=file[:key file]"
        )
    )
    var clientCertificate: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with the keys of SSH servers in OpenSSH's format; required for sftp.",
            valueName: "file"
        )
    )
    var knownHosts: String?

    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    func validate() throws {
        _ = try GetPlan(self, urls: source.urls, readFile: { _ in [] })
    }

    func run() async throws {
        var all = source.urls
        if let (lines, name) = try source.readInput() {
            all += lines.map(\.url)
            guard !all.isEmpty else { throw CommandFailure(.usage, "\(name) names no URL") }
        }
        try await GetSession.run(try GetPlan(self, urls: all, readFile: GetPlan.readHeaderFile))
    }

    private static let exitCodes = """
        What was interrupted, by a signal or by a fault, goes on where it stopped when the same command is run again: \
        a part file and a small state file wait in the folder. Each finished file's line on standard output is one \
        that sha256sum -c reads.

        EXIT CODES:
          0    every file is in its place
          64   the command line or a URL is wrong
          65   the digest or the size is not the expected one, or nothing proves the
               body whole
          69   the host cannot be found or reached, or did not answer in time
          70   a fault of this program
          73   the file or the folder cannot be made, or the name is taken with
               --on-conflict fail
          74   the disk is full, or reading or writing failed
          75   another process is downloading the same
          76   the origin answers with an error, or breaks the protocol
          77   the origin asks for credentials, or the disk for permissions
          130  interrupted by SIGINT; 143 by SIGTERM
        With several files, the code is that of the first that failed.
        """
}

/// Parses the header fields of a command line.
enum GetHeaders {
    /// - Parameters:
    ///   - arguments: `Name: value`, or `@file` for a file with one field per line. A file keeps the values out of the
    ///     process list.
    ///   - readFile: Returns the lines of such a file.
    static func parse(
        _ arguments: [String],
        readFile: (String) throws -> [String]
    ) throws -> [RequestCredentials.Header] {
        try arguments.flatMap { argument in
            argument.hasPrefix("@") ? try readFile(String(argument.dropFirst())) : [argument]
        }.map(header)
    }

    /// The fields by name, for a request; nil without any.
    static func byName(_ arguments: [String], readFile: (String) throws -> [String]) throws -> [String: String]? {
        let headers = try parse(arguments, readFile: readFile)
        return headers.isEmpty ? nil : Dictionary(headers.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    }

    private static func header(_ line: String) throws -> RequestCredentials.Header {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw ValidationError("--header expects 'Name: value', or @file.") }
        let field = HeaderField(String(parts[0]), parts[1].trimmed)
        guard field.isSendable else {
            throw ValidationError("--header: a field has a character that is not allowed in a header field.")
        }
        guard !RequestFieldRules.isReserved(field.name) else {
            throw ValidationError("--header: \(field.name) is set by cormorant itself.")
        }
        return RequestCredentials.Header(name: field.name, value: field.value)
    }
}
