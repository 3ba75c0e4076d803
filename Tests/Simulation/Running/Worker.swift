import ArgumentParser
import Foundation
import Glibc

/// Runs some lives for ``Run``, which starts a new process for the next ones: what a life leaves in memory stays there.
struct Worker: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Runs some lives.", shouldDisplay: false)

    @OptionGroup var scene: SceneArgument

    @Argument(help: "The seeds.")
    var seeds: [UInt64]

    func run() throws {
        // The parent starts this process from a thread that blocks signals, and a process inherits the mask. Without
        // this, SIGTERM would not end it.
        var none = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, nil)
        try scene.run { makeLife in
            for seed in seeds {
                // At once: it is the last word of a process that a fault ends.
                try FileHandle.standardOutput.write(contentsOf: Data("begin \(seed)\n".utf8))
                var report = Report()
                report.add(makeLife(seed, nil, false))
                let text = report.lines.joined(separator: "\n") + "\n"
                try FileHandle.standardOutput.write(contentsOf: Data(text.utf8))
            }
        }
    }
}
