import Linux

extension StandardStream {
    /// Writes what a command was asked for; a command whose answer reaches nobody has failed.
    func put(_ text: String) throws(CommandFailure) {
        guard write(text) else { throw CommandFailure(.inputOutput, "standard output cannot be written to") }
    }
}
