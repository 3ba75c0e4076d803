import ServiceLifecycle
import UnixSignals

/// Runs until the first signal. Its end stops the group.
///
/// The group could wait for signals itself, but only from its start: a signal that comes while the store is opened
/// would end the process at once.
struct SignalService: Service {
    private let signals: UnixSignalsSequence

    init(_ signals: UnixSignalsSequence) {
        self.signals = signals
    }

    func run() async {
        for await _ in signals.cancelOnGracefulShutdown() { return }
    }
}
