import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Runtimes

@Suite struct KindImagesTests {
    @Test func `the archive of a killed load is removed by the next one, and that of a living one is not`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let dead = KindImages.archiveName(of: try await endedProcess())
            let living = KindImages.archiveName(of: getpid())
            for name in [dead, living, "image-list.tar", "loaded-images.yml"] {
                try write("x", to: "\(directory)/\(name)")
            }
            KindImages.removeAbandoned(in: directory)
            let left = Set(try FileManager.default.contentsOfDirectory(atPath: directory))
            #expect(left == [living, "image-list.tar", "loaded-images.yml"])
        }
    }
}
