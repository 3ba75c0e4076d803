import Curl
public import Jobs
public import Logging
public import Model
public import ServiceLifecycle
import Stages
public import Store
public import Transfers

/// Sends what is due to webhooks, again and again until it is taken or its schedule ends.
///
/// A delivery is claimed in the store before it is sent, and settled there after; a process that dies in
/// between leaves it to be sent once more. So each event arrives at least once.
public actor Dispatcher: Service {
    private let store: Store
    private let client: WebhookClient
    private let rules: DeliveryRules
    private let loop: TransferLoop
    private let time: TimeSource
    private let settler: Settler
    private let logger: Logger

    private lazy var claims = ClaimLoop { [weak self] in await self?.claim() }
    private lazy var alarm = Alarm(time: time) { [weak self] in await self?.claims.run() }
    private var isStopping = false
    /// Whether what an earlier process had in flight is due again.
    private var hasTakenOver = false
    private var book = DispatchBook()
    private var deliveries: [DeliveryID: Task<Void, Never>] = [:]
    private var settlings: [DeliveryID: Task<Bool, Never>] = [:]
    private let gracePeriod: Duration

    /// - Parameters:
    ///   - secret: Signs for webhooks that have none of their own.
    ///   - vault: Opens those that have.
    ///   - destinations: Where deliveries may go, but for those to the webhook of the settings.
    ///   - certificateAuthorityFile: Certificates to trust in place of the system's.
    ///   - timeout: How long a receiver may take to answer.
    ///   - gracePeriod: What a delivery in flight gets to end when the service stops. One that does not is sent again.
    ///   - schedule: When what was not taken is sent again.
    public init(
        store: Store,
        secret: WebhookSecret,
        vault: CredentialVault,
        destinations: WebhookDestinations,
        userAgent: String,
        certificateAuthorityFile: String? = nil,
        timeout: Duration = .seconds(15),
        gracePeriod: Duration = .seconds(5),
        schedule: DeliverySchedule = .standard,
        time: TimeSource,
        logger: Logger
    ) {
        self.store = store
        self.gracePeriod = gracePeriod
        rules = DeliveryRules(schedule: schedule)
        self.time = time
        self.logger = logger
        settler = Settler(time: time, logger: logger)
        // A loop of its own: its connections were opened under other rules than those of downloads.
        loop = TransferLoop()
        client = WebhookClient(
            loop: loop,
            signer: DeliverySigner(vault: vault, secret: secret),
            destinations: destinations,
            userAgent: userAgent,
            certificateAuthorityFile: certificateAuthorityFile,
            timeout: timeout
        )
    }

    /// Works until the service stops; what is in flight then has ``gracePeriod`` to end.
    public func run() async throws {
        let wakes = store.notices.stream(of: .deliveries)
        await claims.run()
        for await _ in wakes.cancelOnGracefulShutdown() { await claims.run() }
        await stop()
    }

    private func stop() async {
        isStopping = true
        await claims.stop()
        await alarm.stop()
        for task in settlings.values { task.cancel() }
        let tasks = Array(deliveries.values)
        let deadline = Task { [time, loop, gracePeriod] in
            guard (try? await time.sleep(for: gracePeriod)) != nil else { return }
            await loop.shutdown()
        }
        for task in tasks { await task.value }
        deadline.cancel()
        await loop.shutdown()
    }

    /// Only ``claims`` calls it, one time after the other.
    private func claim() async {
        let now = time.now
        do {
            if !hasTakenOver {
                try await store.recoverDeliveries(now: now)
                hasTakenOver = true
            }
            var isComplete = false
            while !isComplete && !isStopping {
                let slots = book.slots(now: now, elapsed: time.elapsed)
                let claim = try await store.claimDeliveries(slots, now: now)
                for delivery in claim.deliveries { start(delivery) }
                isComplete = claim.isComplete
                // What could not be claimed is claimed when one in flight ends, but for what waits for its rate.
                if let next = claim.next { await alarm.set(for: next) }
                if let wait = book.wait(for: claim.held) { await alarm.set(for: time.now + wait + .milliseconds(1)) }
            }
        } catch {
            logger.error("deliveries could not be claimed", metadata: ["error": "\(error)"])
            await alarm.set(for: now + StoreRetry.firstInterval)
        }
    }

    /// Sends a delivery in a task of its own, so that a slow receiver delays no other.
    private func start(_ delivery: DueDelivery) {
        book.begin(delivery.webhook, elapsed: time.elapsed)
        deliveries[delivery.id] = Task {
            let isSpared = await deliver(delivery)
            deliveries[delivery.id] = nil
            book.end(delivery.webhook.id, isSpared: isSpared, now: time.now)
            await claims.run()
        }
    }

    /// - Returns: Whether the receiver is to be spared for a while.
    private func deliver(_ delivery: DueDelivery) async -> Bool {
        let start = time.elapsed
        let now = time.now
        let answer = await client.send(delivery, at: now)
        if isStopping && answer.status == nil { return false }
        let duration = time.elapsed - start
        let attempt = DeliveryAttempt(
            startedAt: now,
            duration: duration,
            status: answer.status,
            error: answer.error,
            responseExcerpt: answer.excerpt,
            remoteAddress: answer.remoteAddress,
            verdict: rules.verdict(
                on: answer,
                attempt: delivery.attemptsMade + 1,
                now: time.now,
                random: Double.random(in: 0..<1)
            )
        )
        await settle(delivery, attempt)
        return DeliveryRules.isSpared(answer, after: duration)
    }

    /// Settles in a task of its own, which ends with the service: a delivery that is not settled then is sent again at
    /// the next start.
    private func settle(_ delivery: DueDelivery, _ attempt: DeliveryAttempt) async {
        let task = Task { [store, settler, logger] in
            let metadata = metadata(of: delivery, attempt)
            let settled = await settler.settle([
                "event.id": "\(delivery.event)", "webhook.id": "\(delivery.webhook.id)",
            ]) {
                try await store.settleDelivery(delivery, attempt)
            }
            guard let disabling = settled else { return false }
            if let disabling {
                let more: Logger.Metadata = ["webhook.disabled_reason": "\(disabling.rawValue)"]
                logger.warning("webhook disabled", metadata: metadata.merging(more) { $1 })
            }
            return true
        }
        settlings[delivery.id] = task
        if isStopping { task.cancel() }
        if await task.value { report(attempt, metadata(of: delivery, attempt)) }
        settlings[delivery.id] = nil
    }

    private nonisolated func metadata(of delivery: DueDelivery, _ attempt: DeliveryAttempt) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "event.id": "\(delivery.event)",
            "webhook.id": "\(delivery.webhook.id)",
            "delivery.attempt": "\(delivery.attemptsLogged + 1)",
        ]
        metadata["http.response.status_code"] = attempt.status.map { "\($0)" }
        metadata["error"] = attempt.error.map { "\($0)" }
        return metadata
    }

    private func report(_ attempt: DeliveryAttempt, _ metadata: Logger.Metadata) {
        switch attempt.verdict {
        case .succeeded: logger.debug("delivered", metadata: metadata)
        case .retry: logger.info("delivery failed, to be tried again", metadata: metadata)
        case .exhausted: logger.warning("delivery failed for good", metadata: metadata)
        case .aborted: logger.notice("delivery aborted by its receiver", metadata: metadata)
        case .disables: logger.info("delivery refused for good", metadata: metadata)
        }
    }
}
