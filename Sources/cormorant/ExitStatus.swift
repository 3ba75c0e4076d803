import ArgumentParser

/// The exit codes of `sysexits.h`, as far as they are used here.
enum ExitStatus: Int32, Sendable {
    /// The command line is wrong.
    case usage = 64
    /// What was received is not what was expected.
    case data = 65
    /// Something that is needed is not there: a host, a port, the service.
    case unavailable = 69
    /// A fault of this program.
    case software = 70
    /// A file or folder cannot be made.
    case cannotCreate = 73
    /// Reading or writing failed, or the disk is full.
    case inputOutput = 74
    /// Somebody else is at it; later it may work.
    case temporary = 75
    /// The other side breaks the protocol, or answers with an error.
    case `protocol` = 76
    /// Credentials or permissions are missing.
    case permission = 77
    /// The settings are wrong.
    case config = 78

    var code: ExitCode { ExitCode(rawValue) }
}
