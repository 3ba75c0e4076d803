import Application
import ArgumentParser
import Linux

/// `cormorant completion`
struct CompletionCommand: ParsableCommand {
    enum Shell: String, CaseIterable, ExpressibleByArgument {
        case bash, zsh, fish
    }

    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print the completion script of a shell.",
        discussion: """
            bash:  cormorant completion bash > ~/.local/share/bash-completion/completions/cormorant
            zsh:   cormorant completion zsh > a file _cormorant in a folder of $fpath
            fish:  cormorant completion fish > ~/.config/fish/completions/cormorant.fish
            """
    )

    @Argument(help: "The shell.")
    var shell: Shell

    func run() throws {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        var script = Cormorant.completionScript(for: kind)
        if shell == .bash { script = script.replacing(Self.offering, with: Self.offeringFiles) }
        try StandardStream.output.putStyled(script + "\n")
    }

    /// The line of the script that offers a word.
    static let offering = #"        COMPREPLY+=("${completion}")"#

    /// With it, a file whose name begins with a hyphen is offered as a path, not as an option.
    private static let offeringFiles = #"""
                [[ "${1}" == -[fd] && "${completion}" == -* ]] && completion="./${completion}"
                COMPREPLY+=("${completion}")
        """#
}

/// `cormorant config`
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the settings that cormorant serve would have here: value and source of each.",
        usage: "cormorant config [--config <file>] [--<setting> <value> ...]",
        discussion: "The settings are read as by cormorant serve. Secrets are redacted. No service is asked."
    )

    @OptionGroup var arguments: SettingsArguments

    func run() throws {
        let resolved = try arguments.load()
        for warning in resolved.warnings { StandardStream.error.tell("cormorant: warning: \(warning)\n") }
        try StandardStream.output.put(resolved.listing + "\n")
    }
}
