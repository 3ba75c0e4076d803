import Application
import ArgumentParser
import Core
import Curl
import HTTPFields
import Linux
import Transfer
import TransferRules

/// The validated arguments of `get`.
struct GetPlan {
    struct Item {
        let request: DownloadRequest
        let credentials: RequestCredentials
    }

    /// One item for each distinct URL, in the given order.
    let items: [Item]
    let directory: String
    let jobs: Int
    let retryFor: Duration
    let certificateAuthorityFile: String?
    let clientCertificates: [ClientCertificate]
    let knownHostsFile: String?
    let isQuiet: Bool

    /// - Parameters:
    ///   - urls: Those of the command line and of its input file.
    ///   - readFile: Returns the lines of a file of header fields.
    /// - Throws: `ValidationError` if an argument is invalid.
    init(_ command: GetCommand, urls: [String], readFile: (String) throws -> [String]) throws {
        let template = try Template(command)
        guard template.fitsSeveral || (urls.count <= 1 && command.source.input == nil) else {
            throw ValidationError("--output, --digest and --mirror are for one URL.")
        }
        guard command.jobs > 0 else { throw ValidationError("--jobs expects a whole number of 1 or more.") }
        guard let retryFor = DurationText.parse(command.retryFor) else {
            throw ValidationError("--retry-for expects \(DurationText.expectation).")
        }
        let headers = try GetHeaders.parse(command.header, readFile: readFile)
        var seen: Set<String> = []
        items = try urls.map { try template.item(url: $0, headers: headers) }
            .filter { seen.insert($0.request.url.text).inserted }
        directory = command.directory
        jobs = command.jobs
        self.retryFor = retryFor
        certificateAuthorityFile = command.caFile
        clientCertificates = try command.clientCertificate.map { text in
            guard let rule = ClientCertificate(text) else {
                throw ValidationError("--client-certificate expects <host>=<file> or <host>=<file>:<key file>.")
            }
            return rule
        }
        knownHostsFile = command.knownHosts
        isQuiet = command.quiet
    }

    static func readHeaderFile(_ path: String) throws -> [String] {
        do {
            return try SecretFile.read(path: path).text.split(whereSeparator: \.isNewline).map { String($0) }
        } catch {
            throw ValidationError("\(path): \(error.message).")
        }
    }
}

/// The options that apply to all URLs of a command line.
private struct Template {
    let filename: FileName?
    let onConflict: ConflictPolicy
    let digests: [Digest]
    let mirrors: [DownloadURL]
    let acceptsHTML: Bool
    let preservesModificationTime: Bool

    var fitsSeveral: Bool { filename == nil && digests.isEmpty && mirrors.isEmpty }

    init(_ command: GetCommand) throws {
        do {
            filename = try command.output.map { (name) throws(InvalidName) in try FileName(validating: name) }
        } catch {
            throw ValidationError(
                "--output expects a file name. \(error.explanation) Use --directory for the folder."
            )
        }
        let policies: [ConflictPolicy] = [.rename, .overwrite, .fail]
        guard let policy = policies.first(where: { $0.rawValue == command.onConflict }) else {
            throw ValidationError("--on-conflict expects one of rename, overwrite, fail.")
        }
        onConflict = policy
        acceptsHTML = command.acceptHtml
        preservesModificationTime = command.preserveMtime
        guard command.file.mirror.count <= SourceList.maximumMirrors else {
            throw ValidationError("--mirror can be given \(SourceList.maximumMirrors) times at most.")
        }
        mirrors = try command.file.mirror.map { text in
            guard let given = try? GivenURL(parsing: text), given.user == nil else {
                throw ValidationError("--mirror expects an http or https URL without user information.")
            }
            return given.url
        }
        digests = try command.file.digest.map { text in
            guard let digest = Digest(text) else {
                let names = DigestAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--digest expects <algorithm>=<hex>, with one of \(names).")
            }
            return digest
        }
    }

    func item(url text: String, headers: [RequestCredentials.Header]) throws -> GetPlan.Item {
        do {
            let given = try GivenURL(parsing: text, schemes: URLScheme.all)
            let abilities = given.url.abilities
            guard abilities.headerFields || headers.isEmpty, abilities.mirrors || mirrors.isEmpty else {
                throw ValidationError("--header and --mirror are for http and https.")
            }
            var request = DownloadRequest(url: given.url)
            request.mirrors = mirrors
            request.filename = filename
            request.onConflict = onConflict
            request.expected = Expected(digests: digests)
            request.preservesModificationTime = preservesModificationTime
            request.acceptsHTML = acceptsHTML
            return GetPlan.Item(
                request: request,
                credentials: RequestCredentials(headers: headers, user: given.user, password: given.password)
            )
        } catch let error as URLParseError {
            throw ValidationError("Expected a URL to download. \(error)")
        }
    }
}
