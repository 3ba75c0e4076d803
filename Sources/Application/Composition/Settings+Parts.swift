import API
import Core
import HTTPServer
import Linux
import Service
import Store
import Transfer

// The settings in the form of each component.
extension Settings {
    var engine: EngineSettings {
        var engine = EngineSettings(
            destinations: destinationPolicy,
            userAgent: VersionText.userAgent,
            digest: digest,
            maxDownloadBytes: maxDownloadBytes,
            minFreeBytes: minFreeBytes,
            resumeFreeBytes: resumeFreeBytes,
            lowSpeedLimit: minSpeed.map { LowSpeedLimit(bytesPerSecond: $0, time: minSpeedTime) },
            connections: connectionsPerDownload,
            maxConnections: maxConnectionsPerDownload,
            connectionsPerHost: connectionsPerHost,
            rateLimit: rateLimit,
            rateLimitPerHost: rateLimitPerHost,
            proxies: proxyRules,
            certificateAuthorityFile: certificateAuthorityFile,
            clientCertificates: clientCertificates,
            knownHostsFile: knownHostsFile
        )
        engine.connectTimeout = connectTimeout
        engine.usesHTTP3 = http3
        engine.slowTime = silenceTimeout
        engine.fileMode = fileMode
        engine.directoryMode = directoryMode
        engine.fileGroup = fileGroup?.number
        engine.preservesModificationTime = preservesModificationTime
        engine.loops = loops ?? server.threads
        return engine
    }

    var rates: ServiceLimits {
        ServiceLimits(
            bytesPerSecond: rateLimit,
            bytesPerSecondPerHost: rateLimitPerHost,
            schedule: rateSchedule ?? .none
        )
    }

    var jobs: ServiceSettings {
        var jobs = ServiceSettings()
        jobs.maxConcurrent = maxConcurrent
        jobs.maxPerHost = maxPerHost
        jobs.maxConnectionsPerDownload = maxConnectionsPerDownload
        jobs.queueLimit = queueLimit
        jobs.giveUpAfter = giveUpAfter
        jobs.notFoundRetries = notFoundRetries
        jobs.destinations = destinationPolicy
        jobs.webhooks = webhookDestinations
        jobs.allowsCallbacks = allowsInlineCallbacks
        jobs.allowsClientProxies = proxyRules.allowsClients
        jobs.allowsSFTP = knownHostsFile != nil
        jobs.purgeAges = PurgeAges(finishedDownloads: keepFinished, files: keepFiles)
        jobs.retryDelay = retryDelay
        jobs.maxRetryDelay = maxRetryDelay
        jobs.retryStatuses = HTTPStatuses(retryStatuses)
        return jobs
    }

    /// The destination rules of downloads apply to clients' webhooks.
    var webhookDestinations: WebhookDestinations {
        WebhookDestinations(policy: destinationPolicy, allowsHTTP: allowsInsecureWebhooks, origin: webhookOrigin)
    }

    var streams: StreamSettings {
        StreamSettings(limit: maxStreams, limitPerCaller: maxStreamsPerToken, heartbeat: streamHeartbeat)
    }

    var server: HTTPServer.Configuration {
        var server = HTTPServer.Configuration()
        server.addresses = listen.map { ServerAddress(host: $0.host, port: $0.port) }
        server.maxBufferedBytes = maxBufferedBodyBytes
        server.maxConnections = maxConnections
        server.maxConnectionsPerAddress = maxConnectionsPerAddress
        server.headerDeadline = headerDeadline
        server.bodyDeadline = bodyDeadline
        return server
    }

    /// The allowed values of `Host`; nil for any. On loopback only the names of this machine are allowed, to prevent
    /// DNS rebinding. Elsewhere any name is allowed, unless the operator lists some.
    var hosts: [String]? {
        let own = ["localhost", "127.0.0.1", "::1"] + listen.map(\.host)
        if publicHosts.isEmpty { return listensOnLoopbackOnly ? own : nil }
        return publicHosts + own
    }
}
