import Application
import ArgumentParser
import Client
import Linux

/// `cormorant ls --watch`: the list, drawn again every second.
struct ListScreen: Sendable {
    let command: ListCommand
    let client: CormorantClient

    func run() async throws {
        guard StandardStream.output.isTerminal else {
            throw CommandFailure(.usage, "--watch needs a terminal; without one use cormorant events --follow")
        }
        let (failure, signal) = await Interruption.guarding { await draw() }
        StandardStream.output.write(TerminalFrame.showCursor)
        if let failure { throw failure }
        if let signal { throw ExitCode(signal) }
    }

    private func draw() async -> ClientError? {
        var frame = TerminalFrame()
        while !Task.isCancelled {
            do throws(ClientError) {
                let page = try await command.page(client, cursor: nil, most: min(command.limit, 200))
                let lines = DownloadTable.table(page.downloads, isWide: command.output.output == .wide)
                    .lines(
                        width: (StandardStream.output.columns ?? 80) - 1,
                        isColoured: StandardStream.output.isColoured
                    )
                let rows = max((StandardStream.output.rows ?? 24) - 2, 2)
                StandardStream.output.write(frame.draw(messages: [], lines: Array(lines.prefix(rows))))
            } catch {
                return error
            }
            // The list is read and drawn once a second.
            try? await Task.sleep(for: .seconds(1))
        }
        return nil
    }
}
