/// Why a destination is refused. Which rule of an address applied stays untold: it would map the network.
public enum DestinationRefusal: String, CaseIterable, Sendable {
    case address
    case port
}
