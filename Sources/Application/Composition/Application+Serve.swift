import API
import Core
import Curl
import HTTPServer
import Linux
import Logging
import Service
import Store
import Transfer
import UnixSignals

extension Application {
    /// Runs the service with the operator's settings until the process receives SIGTERM or SIGINT.
    public static func serve(_ resolved: ResolvedSettings) async throws {
        let settings = resolved.settings
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        MemoryTuning.apply()
        try ProcessHardening.apply()
        ProcessHardening.ignoreHangUp()
        _ = try ProcessHardening.raiseDescriptorLimit()
        SQLiteLibrary.useTemporaryFolder(DataFolder.temporaryPath(in: settings.dataDirectory))
        let logger = settings.makeLogger()
        // The last lines tell why the service ended. A reader that stalls does not keep it.
        defer { LineWriter.standardError.flush(atMost: .seconds(1)) }
        try logStart(logger, greets: settings.greets)
        for warning in resolved.warnings { logger.warning("\(warning)") }
        if settings.http3, !CurlLibrary.hasHTTP3 {
            logger.warning("HTTP/3 not available", metadata: ["library": "libcurl \(CurlLibrary.number)"])
        }
        if let zone = LocalTime.unknownZone {
            logger.warning("time zone not known; local times are UTC", metadata: ["zone": "\(zone)"])
        }
        let data = try DataFolder(settings)
        defer {
            data.reserve.keepRemainder()
            // Held until every other component has ended, because each of them may write into the folder.
            data.release()
        }
        for (root, fault) in data.roots.unavailable {
            logger.error("root not available", metadata: ["root": "\(root.path)", "error": "\(fault)"])
        }
        for root in data.roots.list {
            guard let missing = root.unsupported, !missing.isEmpty else { continue }
            logger.info(
                "the file system lacks abilities",
                metadata: ["root": "\(root.name)", "lacks": "\(missing.joined(separator: ", "))"]
            )
        }
        let folder = try data.folder(keyFile: settings.keyFile)
        var configuration = try settings.configuration(data, logger)
        configuration.api.shown = resolved.shown
        configuration.signals = signals
        if settings.greets {
            let greeting = Greeting(resolved, data)
            configuration.announce = {
                StandardStream.error.write(greeting.text(at: $0.addresses, awaiting: $0.awaitedAddresses))
            }
        }
        try await Application(configuration, in: folder, time: .system, logger: logger).run()
    }

    /// The first log line. It names each library whose version was not tested.
    private static func logStart(_ logger: Logger, greets: Bool) throws {
        let versions = try VersionText.long().split(separator: "\n").joined(separator: ", ")
        let untested = try TestedVersions.warnings()
        var metadata: Logger.Metadata = ["versions": "\(versions)"]
        if !untested.isEmpty { metadata["untested"] = "\(untested.joined(separator: ", "))" }
        logger.log(level: untested.isEmpty ? (greets ? .debug : .info) : .warning, "starting", metadata: metadata)
    }
}

extension DataFolder {
    fileprivate func folder(keyFile: String?) throws -> ApplicationFolder {
        var folder = ApplicationFolder(databasePath: try databasePath(), roots: roots.list) {
            try key(keyFile)
        }
        folder.reserve = StoreReserve(release: { reserve.release() }, restore: { reserve.restore() })
        folder.requireFirstStart = requireFirstStart
        return folder
    }
}

extension Settings {
    fileprivate func configuration(_ data: DataFolder, _ logger: Logger) throws -> ApplicationConfiguration {
        var webhooks = ApplicationConfiguration.Webhooks(
            secret: try webhookSecret(data),
            userAgent: VersionText.userAgent
        )
        webhooks.url = webhookURL
        webhooks.certificateAuthorityFile = certificateAuthorityFile
        webhooks.schedule = DeliverySchedule(delays: webhookRetryDelays)
        var configuration = ApplicationConfiguration(
            webhooks: webhooks,
            shutdown: ShutdownBudget(total: shutdownTimeout),
            utcOffsetMinutes: { LocalTime.utcOffsetMinutes(atMilliseconds: $0.milliseconds) }
        )
        configuration.engine = engine
        configuration.service = jobs
        configuration.limits = rates
        configuration.streams = streams
        configuration.api = API.Settings(
            hosts: hosts,
            token: try token(data, logger),
            corsOrigins: corsOrigins,
            maxBodyBytes: maxBodyBytes,
            servesPage: page
        )
        configuration.server = server
        return configuration
    }

    /// The configured token. Without one: nil on loopback, where none is required; elsewhere a generated token.
    private func token(_ data: DataFolder, _ logger: Logger) throws -> String? {
        if let token { return token.text }
        guard !listensOnLoopbackOnly else { return nil }
        let token = try data.secret(named: "token", expecting: "a token of visible ASCII") { () throws(SystemError) in
            try RandomBytes.hexadecimal(count: 32)
        }
        guard !token.isEmpty else {
            throw CommandFailure(.config, "'\(data.path)/token' is empty: remove it to have a token made, or give one")
        }
        let level: Logger.Level = greets ? .debug : .notice
        logger.log(level: level, "token required", metadata: ["file": "\(data.path)/token"])
        return token
    }

    private func webhookSecret(_ data: DataFolder) throws -> WebhookSecret {
        let expected = "'whsec_' and the base64 of 24 to 64 bytes"
        let text =
            try webhookSecret?.text
            ?? data.secret(named: "webhook-secret", expecting: expected) { () throws(SystemError) in
                WebhookSecret.text(of: try RandomBytes.make(count: 32))
            }
        guard let secret = WebhookSecret(text) else {
            let name = webhookSecret == nil ? "the file '\(data.path)/webhook-secret'" : "webhook_secret"
            throw CommandFailure(.config, "\(name) does not contain \(expected)")
        }
        return secret
    }
}
