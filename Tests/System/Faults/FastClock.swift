import Foundation

/// Clocks of programs that run fast, by a library that is loaded before the C library. Programs with the same clock
/// agree on the time.
struct FastClock {
    private static let built = Result { try PreloadedLibrary("clock").path }
    /// A minute takes two seconds.
    private static let rate = 30

    private let began = Int(Date().timeIntervalSince1970)

    /// The path of the library, for `LD_PRELOAD`.
    var library: String { get throws { try Self.built.get() } }

    /// What a program is to find in its environment besides.
    var environment: [String: String] { ["CLOCK_RATE": "\(Self.rate)", "CLOCK_FROM": "\(began)"] }
}
