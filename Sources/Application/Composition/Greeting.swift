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

    var listen: ListenAddress
    var servesPage = true
    /// The folder of finished files.
    var folder: String
    var access: Access

    /// - Parameter port: The port that the service got.
    func text(port: UInt16) -> String {
        let address = ListenAddress(address: listen.reachable.address, port: port)
        let everywhere = listen.reachable == listen ? "" : ", and at this port of every address of this machine"
        let place = servesPage ? "The page is at http://\(address)/" : "The API is at http://\(address)/ (no page)"
        return """
            \(place)\(everywhere)
            Finished files go to \(folder)
            \(accessText)

            """
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
            } else if settings.listen.isLoopback {
                .open
            } else {
                .made(file: "\(data.currentPath)/token")
            }
        self.init(
            listen: settings.listen,
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
