import Curl
import Model

extension TransferRequest {
    /// Takes whose certificates are trusted, and the one that is shown where the host asks for it.
    mutating func takeCertificates(_ settings: EngineSettings) {
        certificateAuthorityFile = settings.certificateAuthorityFile
        clientCertificate = settings.clientCertificates.first { $0.isFor(url.host) }.map {
            ClientCertificate(file: $0.certificateFile, keyFile: $0.keyFile)
        }
    }
}
