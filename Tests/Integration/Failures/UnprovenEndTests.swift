import Core
import Crypto
import HTTPFields
import ServiceSupport
import TestSupport
import Testing

/// An origin that sends every byte of its file and no end that proves it: a length that is too large, or a body that
/// breaks off before its last chunk.
@Suite(.hangLimit)
struct UnprovenEndTests {
    private static let content = Content(size: 3 << 19)

    enum Fault: CaseIterable {
        case lengthTooLarge, lastChunkMissing

        func behaviour(_ validators: Behaviour.Validators) -> Behaviour {
            Behaviour { behaviour in
                behaviour.validators = validators
                behaviour.keepsConnection = false
                switch self {
                case .lengthTooLarge:
                    behaviour.framing = .wrongContentLength(by: 3)
                case .lastChunkMissing:
                    behaviour.framing = .chunked
                    behaviour.ending = .cut(after: UnprovenEndTests.content.size, by: .fin)
                }
            }
        }
    }

    private func end(
        of fault: Fault,
        _ validators: Behaviour.Validators,
        _ members: String = ""
    ) async throws -> (download: Download, wholeFetches: Int) {
        let origin = Origin(Self.content, script: [fault.behaviour(validators)])
        defer { origin.stop() }
        return try await withService { service in
            let id = try await service.add(origin.url("/a.bin"), members)
            let download = try await service.advanceClock(by: .seconds(10), until: id, .failed, .completed)
            if download.state == .completed { #expect(try service.files == ["a.bin"]) }
            return (download, origin.requests.count { $0.value(of: "range") == nil })
        }
    }

    @Test func anEqualStrongTagProvesTheEndOfAFileOfUnknownSize() async throws {
        let (download, wholeFetches) = try await end(of: .lastChunkMissing, .strong)

        #expect(download.state == .completed, "\(String(describing: download.error))")
        #expect(download.progress.totalBytes == Self.content.size)
        #expect(wholeFetches == 1 && download.generation == 1)
    }

    @Test(arguments: Fault.allCases)
    func aDigestProvesTheEnd(_ fault: Fault) async throws {
        let digest = HTTPFields.Digest(algorithm: .sha256, bytes: Array(SHA256.hash(data: Self.content.allBytes))).hex
        let (download, wholeFetches) = try await end(
            of: fault,
            .lastModifiedOnly,
            #","expected":{"digests":{"sha-256":"\#(digest)"}}"#
        )

        #expect(download.state == .completed, "\(String(describing: download.error))")
        #expect(wholeFetches == 1)
    }

    /// A size that was told and is wrong leaves the end open, however strong the tag is.
    @Test(
        arguments: [
            (.lengthTooLarge, .strong), (.lengthTooLarge, .lastModifiedOnly), (.lastChunkMissing, .lastModifiedOnly),
        ] as [(Fault, Behaviour.Validators)]
    )
    func theThirdFetchWithoutAProofFailsWithWhatWasLearned(
        _ fault: Fault,
        _ validators: Behaviour.Validators
    ) async throws {
        let (download, wholeFetches) = try await end(of: fault, validators)

        #expect(download.error?.error.code == .lengthUnverified, "\(String(describing: download.error))")
        #expect(download.error?.error.message.contains("no byte after the \(Self.content.size)") == true)
        #expect(wholeFetches == 3)
    }

    @Test(arguments: Fault.allCases)
    func aClientMayAcceptTheLengthUnproven(_ fault: Fault) async throws {
        let (download, _) = try await end(of: fault, .lastModifiedOnly, #","accept_unverified_length":true"#)

        #expect(download.state == .completed, "\(String(describing: download.error))")
    }
}
