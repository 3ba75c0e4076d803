import Model
import Transfers
import Wire

extension CursorSealer {
    /// Seals cursors with the key that seals credentials.
    init(_ vault: CredentialVault) {
        self.init(
            seal: { vault.seal(bytes: $0) },
            open: { vault.open(bytes: $0) }
        )
    }
}
