import Application
import ArgumentParser
import Client
import Linux

/// `cormorant add`
struct AddCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add downloads to the service.",
        discussion: """
            What is added is recorded durably before the command ends. A file of URLs has one in each line; empty \
            lines and lines that begin with # are skipped. A URL that is refused is named; the others are added.
            """
    )

    @OptionGroup var source: URLArguments

    @Option(help: ArgumentHelp("The name of the file; for one URL only.", valueName: "name"))
    var name: String?

    @OptionGroup var file: FileOptions

    @Option(
        help: ArgumentHelp("Return the download that has this key, for one URL only.", valueName: "key")
    )
    var dedupeKey: String?

    @OptionGroup(title: "Downloads") var options: NewDownloadOptions

    @Flag(name: .shortAndLong, help: "Wait until they have ended; the exit code is that of cormorant wait.")
    var wait = false

    @Flag(name: .shortAndLong, help: "Print errors only.")
    var quiet = false

    @Flag(help: "Print the address of the service's page too.")
    var openPage = false

    @OptionGroup(title: "Service") var connection: ServerOptions
    @OptionGroup var output: FileNameOutputOptions

    func validate() throws {
        let isForOne = name != nil || !file.digest.isEmpty || !file.mirror.isEmpty || dedupeKey != nil
        guard !isForOne || source.isOne else {
            throw ValidationError("--name, --digest, --mirror and --dedupe-key are for one URL.")
        }
        _ = try options.template(readFile: { _ in [] })
        _ = try expected()
    }

    var gatewayPatience: Duration { wait ? FollowSession.gatewayPatience : .zero }

    func run(_ client: CormorantClient) async throws {
        var template = try options.template()
        template.filename = name
        template.expected = try expected()
        template.mirrors = file.mirror.isEmpty ? nil : file.mirror
        template.dedupeKey = dedupeKey
        var items = source.urls.map { Adder.Item(new: template.with(url: $0), place: nil) }
        if let (lines, name) = try source.readInput() {
            items += lines.map { Adder.Item(new: template.with(url: $0.url), place: "\(name), line \($0.number)") }
        }
        let adder = Adder(
            client: client,
            format: output.output,
            isSeveral: !source.isOne,
            isQuiet: quiet
        )
        let result = try await adder.add(items)
        if openPage { try StandardStream.output.put("\(client.server)/\n") }
        try await finish(result, client)
    }

    private func finish(_ result: Adder.Result, _ client: CormorantClient) async throws {
        var status = result.status
        if wait, !result.ids.isEmpty {
            let ended = try await FollowSession(client: client, scope: .ids(result.ids), isQuiet: quiet).run()
            status = status ?? ended.lazy.compactMap { ExitStatus(ending: $0) }.first
        }
        if let status { throw status.code }
    }

    private func expected() throws -> Client.Download.Expected? {
        guard !file.digest.isEmpty else { return nil }
        return Client.Download.Expected(digests: try DigestArguments.byAlgorithm(file.digest))
    }
}

extension Download.Request {
    func with(url: String) -> Download.Request {
        var copy = self
        copy.url = url
        return copy
    }
}
