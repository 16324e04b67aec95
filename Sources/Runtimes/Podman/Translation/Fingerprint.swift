import ExternalTools
import SystemCrypto

/// What a pod was made of, as a value that tells nothing of the secrets in it.
enum Fingerprint {
    /// HMAC over everything that podman is told for the pod, the secrets' values and the images' ids.
    static func of(_ pod: PodmanPod, images: [String: String], key: [UInt8]) -> String {
        var parts = [pod.name, pod.isJob ? "job" : "service", pod.completes ? "completes" : "runs"]
        parts += pod.options.arguments + pairs(pod.labels)
        for container in pod.all { parts += description(container, image: images[container.image] ?? "absent") }
        // Every part with its length: no two lists of parts give the same message.
        let message = parts.flatMap { Array("\($0.utf8.count):".utf8) + Array($0.utf8) }
        return hmacSHA256Hex(key: key, message: message)
    }

    private static func description(_ container: PodmanContainer, image: String) -> [String] {
        let words = [container.entrypoint, container.arguments].map { words in
            words.map { "\($0.count):" + $0.map { "\($0.pieces)" }.joined(separator: " ") } ?? "image"
        }
        return [container.name, container.image, image] + container.options.arguments + pairs(container.labels)
            + words + container.secretObjects.map { "\($0.name)\($0.use)" }
            + [container.postStart, container.preStop].map { ($0 ?? []).joined(separator: "\0") }
    }

    private static func pairs(_ values: [String: String]) -> [String] {
        ["\(values.count)"] + values.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    }
}
