import Glibc
import SystemPackage

/// The calls that SystemPackage lacks.

func synchronize(_ descriptor: FileDescriptor) throws(Errno) {
    if fsync(descriptor.rawValue) != 0 { throw Errno(rawValue: errno) }
}

func rename(_ from: FilePath, to destination: FilePath) throws(Errno) {
    let result = from.withPlatformString { old in destination.withPlatformString { Glibc.rename(old, $0) } }
    if result != 0 { throw Errno(rawValue: errno) }
}

func removeFile(_ path: FilePath) throws(Errno) {
    if path.withPlatformString({ unlink($0) }) != 0 { throw Errno(rawValue: errno) }
}
