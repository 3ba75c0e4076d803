import API
import Application
import Core
import Curl
import Linux
import Logging
import Service
import ServiceLifecycle
import Store
import Transfer
import TransferRules

/// The service without its API, as one process of a life runs it.
final class SimulatedProcess: Sendable {
    let components: Components
    private let services: ServiceGroup

    var downloads: DownloadService { components.downloads }

    /// - Parameter folder: It has the database and the folders of files.
    init(in folder: String, _ internet: Internet, _ logger: Logger) async throws {
        let store = try Store(.file("\(folder)/store.db"), encode: JSONEncoding.encode)
        let parts = try Directory(path: "\(folder)/parts")
        let folders = Folders(
            downloads: try Directory(path: "\(folder)/files"),
            parts: parts,
            abilities: try? parts.probeAbilities()
        )
        let configuration = try Self.configuration(internet)
        let engine = Engine(
            settings: configuration.engine,
            roots: [Root(.downloads, folders)],
            pool: BlockingPool { job in
                World.current.add(.call(job), after: UInt64(World.current.choices.number(below: 3, .order)) * 1_000_000)
            },
            time: .world,
            network: configuration.network
        )
        components = try await Components(
            configuration,
            store: store,
            engine: engine,
            key: [UInt8](repeating: 7, count: 32),
            time: .world,
            logger: logger
        )
        services = ServiceGroup(services: components.services(), logger: logger)
    }

    private static func configuration(_ internet: Internet) throws -> ApplicationConfiguration {
        guard let secret = WebhookSecret("whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=") else {
            preconditionFailure("the secret is one")
        }
        var webhooks = ApplicationConfiguration.Webhooks(secret: secret, userAgent: "Cormorant/simulation")
        webhooks.url = try GivenURL(parsing: Receiver.url).url
        var configuration = ApplicationConfiguration(
            webhooks: webhooks,
            shutdown: ShutdownBudget(requests: .seconds(4), webhooks: .seconds(2), services: nil),
            utcOffsetMinutes: { _ in 0 }
        )
        configuration.engine = EngineSettings(minFreeBytes: 0, flushBytes: 32 << 10, connections: 4)
        configuration.engine.ramp.minimumShare = 16 << 10
        configuration.engine.ramp.leastShare = 8 << 10
        configuration.service.maxConcurrent = 3
        configuration.network = internet.network
        return configuration
    }

    /// Works until ``stop()``.
    func run() async throws { try await services.run() }

    /// Ends it as a signal would.
    func stop() async { await services.triggerGracefulShutdown() }

    func close() { components.store.close() }
}

extension TimeSource {
    /// The clocks of the world.
    static let world = TimeSource(
        now: { World.current.wall },
        elapsed: { .nanoseconds(Int64(World.current.now)) },
        // The executors of the world turn it into a timer of the world: no true time passes.
        sleepUntil: { try await Task.sleep(for: $0 - .nanoseconds(Int64(World.current.now))) }
    )
}
