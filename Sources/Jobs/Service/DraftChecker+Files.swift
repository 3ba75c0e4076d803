import Model

extension DraftChecker {
    /// What FTP and SFTP have no place for is refused, and not left out silently.
    func refuseWhatOnlyHTTPHas(in credentials: RequestCredentials, of url: SourceURL) throws(JobError) {
        guard url.isFile else { return }
        var violations: [JobError.Violation] = []
        func refuse(_ pointer: String, _ what: String) {
            violations.append(.init(pointer: pointer, detail: "\(url.scheme) has no \(what)."))
        }
        if !credentials.headers.isEmpty { refuse("/request_headers", "header fields") }
        if !credentials.cookies.isEmpty { refuse("/cookies", "cookies") }
        if credentials.postBody != nil { refuse("/method", "POST") }
        if case .server? = credentials.proxy { refuse("/proxy", "way through a proxy here") }
        switch credentials.authentication {
        case .basic(let username, let password):
            // On FTP's control connection a line break would begin another command.
            guard (username + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { break }
            refuse("/authentication", "control characters in a user or password")
        case .digest, .bearer: refuse("/authentication", "other authentication than a user and a password")
        case nil: break
        }
        guard violations.isEmpty else { throw .unprocessable(violations) }
    }
}
