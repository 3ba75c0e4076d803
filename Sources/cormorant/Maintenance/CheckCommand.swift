import Application
import ArgumentParser
import Linux

/// `cormorant check`
struct CheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the database of a service, and that its finished files are there.",
        usage: "cormorant check [--digests] [--data-dir <dir>] [--config <file>] [--<setting> <value> ...]",
        discussion: """
            Checks the pages, indexes and references of the database, that each record can be read, and that the file \
            of each completed download is there with its size. Nothing is changed; the service may be running. The \
            settings are read as by cormorant serve. Each fault is a line on standard output. Exits with 0 if there \
            is none, else with 65.
            """
    )

    @Flag(help: "Also read each file, and compare it with its recorded digests.")
    var digests = false

    @OptionGroup var arguments: SettingsArguments

    func run() throws {
        let check = try DataCheck(of: try arguments.load(), comparesDigests: digests) { fault in
            try StandardStream.output.put("\(fault.printable)\n")
        }
        let removed = check.removed == 0 ? "" : "; \(check.removed) are recorded as removed"
        let files = "\(check.files) files of \(ByteSize.rounded(check.bytes)) are there\(removed)"
        let faults = check.faults == 0 ? "no fault" : check.faults == 1 ? "1 fault" : "\(check.faults) faults"
        try StandardStream.output.put("\(check.downloads) downloads; \(files); \(faults)\n")
        guard check.faults == 0 else { throw ExitStatus.data.code }
    }
}
