import CFuzzer
import Glibc

/// Runs a reader with any input: `Fuzz TARGET [ARGUMENT...]`.
///
/// Linked with libFuzzer (`scripts/fuzz`), it makes inputs; the arguments are those of libFuzzer. In an ordinary build
/// it reads the inputs that are kept in `Tests/Fuzz/Corpus` once, or the files that are named; without a target it does
/// so for all of them.
@main
struct Fuzz {
    static func main() {
        signal(SIGPIPE, SIG_IGN)
        let arguments = CommandLine.arguments.dropFirst()
        if arguments.first == "--list" { return print(FuzzTarget.all.map(\.name).joined(separator: "\n")) }
        let named = arguments.first.map { name in FuzzTarget.all.filter { $0.name == name } }
        guard named?.isEmpty != true else { exit(2, "no target has this name; --list names them") }
        if fuzzer_is_linked() {
            guard let target = named?.first else { exit(2, "expected the name of a target") }
            makeInputs(of: target)
        }
        var faults = 0
        for target in named ?? FuzzTarget.all {
            let replay = Replay(target, files: Array(arguments.dropFirst()))
            faults += replay.faults
            print("\(target.name): \(replay.count) inputs, \(replay.faults) faults")
        }
        Glibc.exit(faults == 0 ? 0 : 1)
    }

    /// The target that libFuzzer calls, which passes no context.
    private nonisolated(unsafe) static var target: FuzzTarget?

    private static func makeInputs(of target: FuzzTarget) -> Never {
        self.target = target
        // libFuzzer must not see the name of the target.
        CommandLine.unsafeArgv[1] = CommandLine.unsafeArgv[0]
        let status = fuzzer_run(CommandLine.argc - 1, CommandLine.unsafeArgv + 1) { start, count in
            let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
            do {
                try Fuzz.target?.run(bytes)
            } catch {
                fatalError("\(error)")
            }
            return 0
        }
        Glibc.exit(status)
    }

    private static func exit(_ status: Int32, _ reason: String) -> Never {
        print("fuzz: \(reason)")
        Glibc.exit(status)
    }
}
