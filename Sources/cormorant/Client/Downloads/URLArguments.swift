import ArgumentParser

import enum Core.URLScheme

/// The URLs that a command downloads: of `add` and `get`.
struct URLArguments: ParsableArguments {
    @Argument(help: ArgumentHelp("The URL to download: \(URLScheme.listText).", valueName: "url"))
    var urls: [String] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("A file of URLs; - for standard input.", valueName: "file"),
        completion: .file()
    )
    var input: String?

    /// Whether an option that describes one file fits.
    var isOne: Bool { urls.count == 1 && input == nil }

    func validate() throws {
        guard input != nil || !urls.isEmpty else {
            throw ValidationError("Expected a URL to download, or --input with a file of URLs.")
        }
    }

    /// The lines of the file of URLs, and its name in messages; nil without the option.
    func readInput() throws -> (lines: [URLList.Line], name: String)? {
        guard let input else { return nil }
        return (URLList.parse(try InputText.read(input)), InputText.shown(input))
    }
}

/// The options that describe one file: of `add` and `get`.
struct FileOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The expected digest, as sha-256=<hex>; for one URL only; repeatable.", valueName: "alg=hex")
    )
    var digest: [String] = []

    @Option(help: ArgumentHelp("A further URL of the same file, for one URL only; repeatable.", valueName: "url"))
    var mirror: [String] = []
}
