import Core
@testable import Transfer

extension Change where Value == EngineSettings {
    /// An engine that opens connections without measuring what they bring.
    static func sharing(_ connections: Int) -> Self {
        .change { settings in
            settings.connections = connections
            settings.ramp.minimumShare = 64 << 10
            settings.ramp.worthwhileTime = .zero
            settings.ramp.shortestStep = .zero
            settings.ramp.leastSample = 0
        }
    }
}
