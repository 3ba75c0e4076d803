import Synchronization

/// Where the next claim of deliveries begins to look, so that no webhook waits for those before it.
final class DeliveryTurns: Sendable {
    private let webhook = Mutex<String?>(nil)

    /// The last webhook of which something was claimed.
    var last: String? {
        get { webhook.withLock { $0 } }
        set { webhook.withLock { $0 = newValue } }
    }
}
