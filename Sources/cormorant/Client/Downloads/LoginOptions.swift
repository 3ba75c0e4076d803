import Application
import ArgumentParser
import Client
import Linux

/// The options for credentials at the origin: of `add`, `import`, `set` and `retry`.
struct LoginOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header field, 'Name: value', or @file with one per line.", valueName: "field")
    )
    var header: [String] = []

    @Option(
        help: ArgumentHelp(
            "The login at the origin, name:password, or @file, which keeps it out of the process list.",
            valueName: "login"
        )
    )
    var login: String?

    @Option(help: ArgumentHelp("basic or digest.", valueName: "scheme"))
    var loginScheme = LoginScheme.basic

    @Option(help: ArgumentHelp("A bearer token for the origin, or @file.", valueName: "token"))
    var bearer: String?

    @Option(help: ArgumentHelp("A cookie, name=value, or @file with one per line; repeatable.", valueName: "cookie"))
    var cookie: [String] = []

    @Flag(inversion: .prefixedNo, help: "Accept a web page, even if the file's name is that of another file.")
    var acceptHtml: Bool?

    /// `none` clears both kinds.
    func authentication(_ readFile: (String) throws -> [String]) throws -> Change<Download.Request.Authentication>? {
        guard login == nil || bearer == nil else { throw ValidationError("Expected --login or --bearer, not both.") }
        guard login != "none", bearer != "none" else { return .clear }
        if let bearer {
            let token = bearer.hasPrefix("@") ? try readFile(String(bearer.dropFirst())).first ?? "" : bearer
            return .set(Download.Request.Authentication(scheme: "bearer", token: token))
        }
        guard let login else { return nil }
        let isFile = login.hasPrefix("@")
        guard let text = isFile ? try readFile(String(login.dropFirst())).first : login else {
            // A validation of the options reads no file.
            return nil
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 2, !parts[0].isEmpty else {
            throw ValidationError("--login expects name:password, or @file with a line of this form.")
        }
        return .set(
            Download.Request.Authentication(scheme: loginScheme.rawValue, username: parts[0], password: parts[1])
        )
    }

    func cookies(_ readFile: (String) throws -> [String]) throws -> [String: String] {
        let lines = try cookie.filter { $0 != "none" }.flatMap { text in
            text.hasPrefix("@") ? try readFile(String(text.dropFirst())) : [text]
        }
        let pairs = try lines.map { line in
            let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { throw ValidationError("--cookie expects name=value, or @file.") }
            return (String(parts[0]), String(parts[1]))
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    /// Sets the members of a new download.
    func apply(to new: inout Download.Request, readFile: (String) throws -> [String]) throws {
        new.requestHeaders = try GetHeaders.byName(header, readFile: readFile)
        if case .set(let authentication)? = try authentication(readFile) { new.authentication = authentication }
        let cookies = try cookies(readFile)
        if !cookies.isEmpty { new.cookies = cookies }
        new.acceptHTML = acceptHtml
    }
}

/// How a name and a password are sent (RFC 7617, RFC 7616).
enum LoginScheme: String, CaseIterable, ExpressibleByArgument {
    case basic, digest
}
