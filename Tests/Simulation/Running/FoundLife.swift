import ArgumentParser
import Foundation

/// A life that has shown a fault once, kept in `Found` so that it is run again each time.
struct FoundLife {
    let scene: SceneKind
    let seed: UInt64
    let choices: [[UInt64]]
    /// What it has shown.
    let fault: String

    /// The content of its file.
    var text: String {
        let streams = zip(Choices.Stream.allCases, choices).map { stream, numbers in
            "\(stream) \(numbers.map(String.init).joined(separator: " "))"
        }
        return (["# \(fault)", "scene \(scene.rawValue)", "seed \(seed)"] + streams).joined(separator: "\n")
    }

    init(scene: SceneKind, seed: UInt64, choices: [[UInt64]], fault: String) {
        (self.scene, self.seed, self.choices, self.fault) = (scene, seed, choices, fault)
    }

    /// - Throws: An error of the user if the file is missing or has no life.
    init(path: String) throws {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), let life = Self(text) else {
            throw ValidationError("'\(path)' is missing or no life")
        }
        self = life
    }

    /// - Returns: nil if the text is no life.
    init?(_ text: String) {
        var (scene, seed): (SceneKind?, UInt64?) = (nil, nil)
        var (choices, fault) = (Choices.Stream.allCases.map { _ in [UInt64]() }, "")
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            switch words.first {
            case "#": fault = String(line.dropFirst(2))
            case "scene": scene = words.dropFirst().first.flatMap { SceneKind(rawValue: String($0)) }
            case "seed": seed = words.dropFirst().first.flatMap { UInt64($0) }
            case let name?:
                guard let stream = Choices.Stream.allCases.first(where: { "\($0)" == name }) else { return nil }
                choices[stream.rawValue] = words.dropFirst().compactMap { UInt64($0) }
            case nil: continue
            }
        }
        guard let scene, let seed else { return nil }
        self.init(scene: scene, seed: seed, choices: choices, fault: fault)
    }
}
