import Core
import ServiceSupport
import Testing

@testable import API

/// The table of locked members in the description of `PATCH`, held against the code.
@Suite struct MemberLockTests {
    /// What says how the change is made, and is never locked itself.
    private static let others = ["action", "expected_revision", "force", "keep_partial"]

    /// The states that each cell of the table means.
    private static let states: [String: Set<DownloadState>] = [
        "never": [],
        "once completed": [.completed],
        "while running, and once completed": [.running, .completed],
        "once the download has ended": [.failed, .cancelled, .completed],
        "while running, and once the download has ended": [.running, .failed, .cancelled, .completed],
        // The first claim decides, and the file: no state.
        "after the first attempt began": [],
        "once the file expired (422)": [],
        // A completed download moves its file instead, before the lock is asked for.
        "if `skipped`, and in a new run of a completed download": [.completed],
    ]

    private static func rows() throws -> [(members: [String], cell: String)] {
        let text = try #require(try Description.at("paths", "/downloads/{id}", "patch", "description").text)
        let lines = text.split(separator: "\n").drop { $0 != "| members | locked |" }.dropFirst(2)
        return lines.prefix { $0.hasPrefix("|") }.compactMap { line in
            guard let row = line.wholeMatch(of: /\| (.+) \| (.+) \|/) else { return nil }
            return (row.1.matches(of: /`([a-z_]+)`/).map { String($0.1) }, String(row.2))
        }
    }

    @Test func theTableHasEveryMemberThatAPatchChangesOnce() throws {
        let described = try #require(try Description.schema("DownloadChange")["properties"]).names

        let listed = try Self.rows().flatMap(\.members)
        #expect((listed + Self.others).sorted() == described.sorted())
    }

    @Test func aMemberIsLockedInTheStatesOfItsRow() throws {
        let rows = try Self.rows()
        let changeable = Set(RequestMember.all.filter(\.isChangeable).map(\.name))
        let members = Contract.shared.members(of: "DownloadChange").filter { changeable.contains($0.owner) }
        #expect(Set(members.map(\.owner)) == changeable)
        for member in members {
            let row = try #require(rows.first { $0.members.contains(member.owner) }, "no row of \(member.owner)")
            let locked = try #require(Self.states[row.cell], "\(row.cell)")
            #expect(member.example != nil, "no example of \(member.path)")
            for value in member.values {
                let edit = try DownloadPatch(parsing: member.object(value).bytes).edit
                #expect(!edit.isEmpty, "\(member.path)")
                for state in DownloadState.allCases {
                    let expected = locked.contains(state) ? [member.owner] : []
                    #expect(edit.lockedMembers(in: state) == expected, "\(member.path), \(state)")
                }
            }
        }
    }
}
