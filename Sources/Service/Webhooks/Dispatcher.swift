public import Core
import Curl
public import Logging
public import ServiceLifecycle
public import Store
public import Transfer

/// Sends due deliveries to webhooks, and retries each until it is accepted or its schedule ends.
///
/// A delivery is claimed in the store before it is sent, and settled there afterwards. If the process ends in between,
/// it is sent again. So each event is delivered at least once.
public actor Dispatcher: Service {
    private let store: Store
    private let client: WebhookClient
    private let rules: DeliveryRules
    private let loop: any ExchangeLoop
    private let node: String
    private let time: TimeSource
    private let recorder: OutcomeRecorder
    private let logger: Logger

    private lazy var claims = ClaimLoop { [weak self] in await self?.claim() }
    private lazy var timer = WakeUpTimer(time: time) { [weak self] in await self?.claims.run() }
    private var isStopping = false
    private var clock = ClockStepDetector()
    /// Whether to search for waits that began later than now.
    private var isSetBack = false
    /// Whether the deliveries that an earlier process had in flight are due again.
    private var hasTakenOver = false
    private var inFlight = InFlightDeliveries()
    private var log = DeliveryLog()
    private var deliveries: [DeliveryID: Task<Void, Never>] = [:]
    /// Deliveries that were sent and wait to be settled.
    private var sent: [SentDelivery] = []
    private var recordings: [DeliveryID: Task<Void, Never>] = [:]
    private let gracePeriod: Duration

    /// - Parameters:
    ///   - vault: Decrypts the webhooks' own secrets.
    ///   - node: Identifies this process in its claims.
    public init(
        store: Store,
        vault: CredentialVault,
        settings: DeliverySettings,
        node: String,
        time: TimeSource,
        logger: Logger
    ) {
        self.store = store
        self.node = node
        gracePeriod = settings.gracePeriod
        rules = DeliveryRules(schedule: settings.schedule)
        self.time = time
        self.logger = logger
        recorder = OutcomeRecorder(time: time, logger: logger)
        // A separate loop: its connections follow other rules than those of downloads.
        loop = settings.network.firstLoop()
        client = WebhookClient(
            loop: loop,
            vault: vault,
            signer: DeliverySigner(vault: vault, secret: settings.secret),
            destinations: settings.destinations,
            userAgent: settings.userAgent,
            certificateAuthorityFile: settings.certificateAuthorityFile,
            timeout: settings.timeout
        )
    }

    /// Runs until the service stops. In-flight deliveries then have ``gracePeriod`` to end.
    public func run() async throws {
        let wakes = store.notices.stream(of: .deliveries)
        await withGracefulShutdownHandler {
            await claims.run()
            for await _ in wakes.cancelOnGracefulShutdown() { await claims.run() }
        } onGracefulShutdown: {
            // The claim loop does not end while there is more to claim, so stop it from here.
            Task { await self.beginStop() }
        }
        await stop()
    }

    private func beginStop() { isStopping = true }

    private func stop() async {
        beginStop()
        await claims.stop()
        await timer.stop()
        let tasks = Array(deliveries.values)
        let deadline = Task { [time, loop, gracePeriod] in
            guard (try? await time.sleep(for: gracePeriod)) != nil else { return }
            await loop.shutdown()
        }
        for task in tasks { await task.value }
        deadline.cancel()
        for sent in sent { record(sent) }
        for task in recordings.values { task.cancel() }
        for task in recordings.values { await task.value }
        await loop.shutdown()
    }

    /// Settles deliveries that were sent since the last call, and claims new ones in the same transaction. Only
    /// ``claims`` calls it, so calls never overlap.
    private func claim() async {
        var recording: [SentDelivery] = []
        if clock.wasSetBack(now: time.now, elapsed: time.elapsed) { isSetBack = true }
        do {
            if !hasTakenOver {
                try await store.recoverDeliveries(after: .all, now: time.now)
                hasTakenOver = true
            }
            if isSetBack {
                try await store.releaseStalledDeliveries(now: time.now)
                isSetBack = false
            }
            var isComplete = false
            while !isComplete && !isStopping {
                (recording, sent) = (sent, [])
                // Must be later than the end of every attempt to settle.
                let now = time.now
                let slots = inFlight.slots(now: now)
                let claim = try await store.claimDeliveries(slots, node: node, recording: recording, now: now)
                for sent in recording { report(sent, claim.disablings[sent.delivery.id]) }
                recording = []
                // The next start takes over deliveries that were claimed while the service began to stop.
                guard !isStopping else { return }
                for delivery in claim.deliveries { start(delivery) }
                isComplete = claim.isComplete
                if let next = claim.next { await timer.set(for: next) }
            }
        } catch {
            logger.error("deliveries not claimed", metadata: ["error": "\(error)"])
            // A delivery that cannot be recorded must not block the others.
            for sent in recording { record(sent) }
            await timer.set(for: time.now + StoreRetry.firstInterval)
        }
    }

    /// Sends a delivery in a separate task, so that a slow receiver delays no other.
    private func start(_ delivery: DueDelivery) {
        inFlight.begin(delivery.webhook.id)
        deliveries[delivery.id] = Task {
            let (attempt, isSlow) = await send(delivery)
            deliveries[delivery.id] = nil
            inFlight.end(delivery.webhook.id, isSlow: isSlow, now: time.now)
            guard let attempt else { return }
            sent.append(attempt)
            await claims.run()
        }
    }

    /// - Returns: The attempt, nil if the service stopped it, and whether to send the receiver one delivery at a time
    ///   for a while.
    private func send(_ delivery: DueDelivery) async -> (SentDelivery?, isSlow: Bool) {
        let start = time.elapsed
        let now = time.now
        let response = await client.send(delivery, at: now)
        if isStopping && response.status == nil { return (nil, false) }
        if let cause = response.cause,
            let count = log.record(.refusal, of: delivery.webhook.id, elapsed: time.elapsed)
        {
            logger.notice(
                "delivery refused",
                metadata: [
                    "webhook.id": "\(delivery.webhook.id)", "error": "\(cause)", "count": .stringConvertible(count),
                ]
            )
        }
        let duration = time.elapsed - start
        let result = rules.result(
            on: response,
            attempt: delivery.attemptsMade + 1,
            now: time.now,
            random: Double.random(in: 0..<1)
        )
        var attempt = DeliveryAttempt(startedAt: now, duration: duration)
        attempt.fields = response.fields
        attempt.status = response.status
        attempt.error = response.error
        attempt.responseExcerpt = response.excerpt
        attempt.remoteAddress = response.remoteAddress
        return (SentDelivery(delivery, attempt, result), DeliveryRules.isSlow(response, after: duration))
    }

    /// Settles one delivery separately, in a task that ends with the service. A delivery that is not settled by then is
    /// sent again at the next start.
    private func record(_ sent: SentDelivery) {
        let id = sent.delivery.id
        let task = Task { [store, recorder] in
            let recorded = await recorder.record([
                "event.id": "\(sent.delivery.event)", "webhook.id": "\(sent.delivery.webhook.id)",
            ]) {
                try await store.recordDelivery(sent)
            }
            recordings[id] = nil
            guard let disabling = recorded else { return }
            report(sent, disabling)
            await claims.run()
        }
        recordings[id] = task
        if isStopping { task.cancel() }
    }

    private func report(_ sent: SentDelivery, _ disabling: DisablingReason?) {
        let level = sent.result.level
        let webhook = sent.delivery.webhook.id
        var count: Int?
        if let failure = sent.result.failure {
            count = log.record(failure, of: webhook, elapsed: time.elapsed)
            if count == nil && disabling == nil { return }
        } else {
            let failures = log.recordEnd(of: webhook)
            if failures > 0, sent.result == .succeeded {
                logger.info(
                    "webhook accepts deliveries again",
                    metadata: ["webhook.id": "\(webhook)", "count": .stringConvertible(failures)]
                )
            }
        }
        // Most attempts are not logged, so the metadata is built only if needed.
        guard level >= logger.logLevel || disabling != nil else { return }
        var metadata: Logger.Metadata = [
            "event.id": "\(sent.delivery.event)",
            "webhook.id": "\(webhook)",
            "delivery.attempt": .stringConvertible(sent.delivery.attemptsLogged + 1),
        ]
        metadata["count"] = count.map { .stringConvertible($0) }
        metadata["http.response.status_code"] = sent.attempt.status.map { .stringConvertible($0) }
        metadata["error"] = sent.attempt.error.map { "\($0)" }
        logger.log(level: level, "\(sent.result.report)", metadata: metadata)
        guard let disabling else { return }
        metadata["webhook.disabled_reason"] = "\(disabling.rawValue)"
        logger.warning("webhook disabled", metadata: metadata)
    }
}

extension DeliveryAttempt.Result {
    /// Its failure, if it is one that repeats.
    fileprivate var failure: DeliveryLog.Failure? {
        switch self {
        case .retry: .attempt
        case .exhausted: .delivery
        case .succeeded, .aborted, .disables: nil
        }
    }

    fileprivate var level: Logger.Level {
        switch self {
        case .succeeded: .debug
        case .retry, .disables: .info
        case .exhausted: .warning
        case .aborted: .notice
        }
    }

    fileprivate var report: String {
        switch self {
        case .succeeded: "delivered"
        case .retry: "delivery failed, to be tried again"
        case .exhausted: "delivery failed"
        case .aborted: "delivery aborted by the receiver"
        case .disables: "delivery refused, webhook disabled"
        }
    }
}
