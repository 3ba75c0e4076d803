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
    init(in folder: String, _ internet: Internet, _ mix: ServiceMix, _ logger: Logger) async throws {
        let store = try Store(.file("\(folder)/store.db"), encode: JSONEncoding.encode)
        let parts = try Directory(path: "\(folder)/parts")
        let folders = Folders(
            downloads: try Directory(path: "\(folder)/files"),
            parts: parts,
            abilities: try? parts.probeAbilities()
        )
        let configuration = try Self.configuration(internet, mix)
        let engine = Engine(
            settings: configuration.engine,
            roots: [Root(.downloads, folders)] + (mix.hasSecondRoot ? [try SecondRoot.open(in: folder)] : []),
            pool: BlockingPool { job in
                let time = World.current.choices.number(below: mix.longestCall, .order)
                World.current.add(.call(job), after: UInt64(time) * 1_000_000)
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

    static let maxConcurrent = 3
    static let connections = 4
    static let flushBytes: Int64 = 32 << 10

    private static func configuration(_ internet: Internet, _ mix: ServiceMix) throws -> ApplicationConfiguration {
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
        configuration.engine = EngineSettings(minFreeBytes: 0, flushBytes: flushBytes, connections: connections)
        configuration.engine.ramp.minimumShare = 16 << 10
        configuration.engine.ramp.leastShare = 8 << 10
        configuration.service.maxConcurrent = maxConcurrent
        configuration.service.maxPerHost = mix.maxPerHost
        configuration.limits.bytesPerSecond = mix.rateLimit
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
        // The executors of the world turn it into a timer of the world: no true time passes. The clock of the world
        // counts nanoseconds, and would never come to a part of one.
        sleepUntil: { instant in
            let rest = instant - .nanoseconds(Int64(World.current.now))
            let (seconds, attoseconds) = rest.components
            try await Task.sleep(for: .seconds(seconds) + .nanoseconds((attoseconds + 999_999_999) / 1_000_000_000))
        }
    )
}
