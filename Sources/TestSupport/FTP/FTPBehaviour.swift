/// How an ``FTPServer`` serves one control connection. As it is made, it is a good server; each member spoils one
/// thing.
public struct FTPBehaviour: Sendable {
    public enum Restart: Hashable, Sendable {
        case honoured
        /// 502 to REST.
        case refused
        /// 350 to REST, and the whole file all the same.
        case ignored
    }

    public enum Ending: Hashable, Sendable {
        case complete
        /// Both connections end after so many bytes of the body.
        case cut(after: Int64)
        /// The data connection ends after so many bytes, and the server says that this was all.
        case short(after: Int64)
        /// More bytes than SIZE said.
        case longer(by: Int64)
        /// All bytes, and this reply in place of 226.
        case reply(Int)
        /// All bytes; then the data connection stays open until the peer ends it.
        case silent
    }

    public enum Passive: Hashable, Sendable {
        case extended
        /// EPSV is unknown, and PASV names this address, as `10,0,0,1`.
        case named(String)
    }

    /// Of the content, whose time differs with it.
    public var version = 0
    /// The version whose bytes are sent, where it is not the one that SIZE and MDTM speak of.
    public var sentVersion: Int?
    public var tellsSize = true
    public var tellsTime = true
    public var restart = Restart.honoured
    public var ending = Ending.complete
    public var passive = Passive.extended
    /// Whether there is such a file.
    public var hasFile = true
    /// The reply to the password; nil for a login that succeeds.
    public var refusal: Int?
    /// What the reply says that the data follow.
    public var openingText = "so it is"
    /// The greeting.
    public var greeting = 220
    /// The command at which the control connection ends without a reply.
    public var hangUpAt: String?

    public init() {}

    /// A good server, with changes.
    public init(_ change: (inout FTPBehaviour) -> Void) {
        change(&self)
    }

    public static let good = FTPBehaviour()
}
