import FoundationEssentials

/// The environment of whoever runs the tests, as `so` hands its own to the libraries.
package let hostEnvironment = ProcessInfo.processInfo.environment
