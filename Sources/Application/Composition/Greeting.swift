import HTTPServer
import Linux
import Logging

/// The lines with which `serve` greets a person at a terminal: where the page is, where files go, who may use it.
struct Greeting: Sendable {
    /// Who may use the API.
    enum Access: Hashable, Sendable {
        /// Everyone on this machine.
        case open
        /// Those who know the token that the operator gave, with its source.
        case given(SettingOrigin)
        /// Those who can read the token in this file.
        case made(file: String)
    }

    var servesPage = true
    /// The folder of finished files.
    var folder: String
    var access: Access

    /// - Parameters:
    ///   - addresses: Where the service listens, with the ports that it got.
    ///   - awaited: The addresses that no interface has yet.
    func text(at addresses: [ServerAddress], awaiting awaited: [ServerAddress] = []) -> String {
        var places = addresses.map(Self.place)
        let first = places.isEmpty ? "no address yet" : places.removeFirst()
        let lines =
            [servesPage ? "The page is at \(first)" : "The API is at \(first) (no page)"]
            + places.map { "and at \($0)" }
            + awaited.map { "and at http://\($0)/ once this machine has that address" }
            + ["Finished files go to \(folder)", accessText]
        return lines.map { $0 + "\n" }.joined()
    }

    /// What a person opens on this machine, and whether others can.
    private static func place(of address: ServerAddress) -> String {
        guard let listened = ListenAddress(address.description), listened.reachable != listened else {
            return "http://\(address)/"
        }
        return "http://\(listened.reachable)/, and at this port of every address of this machine"
    }

    private var accessText: String {
        switch access {
        case .open: "No token is needed: only programs on this machine can reach the service"
        case .given(let origin): "A token is needed: the one that you gave (\(origin))"
        case .made(let file): "A token is needed: it is in the file \(file)"
        }
    }
}

extension Greeting {
    init(_ resolved: ResolvedSettings, _ data: DataFolder) {
        let settings = resolved.settings
        let access: Access =
            if settings.token != nil {
                .given(resolved.origins["token"] ?? .standard)
            } else if settings.listensOnLoopbackOnly {
                .open
            } else {
                .made(file: "\(data.currentPath)/token")
            }
        self.init(
            servesPage: settings.page,
            folder: settings.downloadsDirectory ?? "\(data.currentPath)/downloads",
            access: access
        )
    }
}

extension Settings {
    /// Whether a person reads standard error, and wants to know of a start.
    var greets: Bool { StandardStream.error.isTerminal && logFormat != .json && logLevel <= .notice }
}
