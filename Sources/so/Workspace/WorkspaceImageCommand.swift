import ArgumentParser
import Workspaces

/// `so workspace image`.
struct WorkspaceImageCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "image", abstract: "Manage the images of workspaces on this host.",
        subcommands: [ImageList.self, ImageBuildCommand.self, ImageVerify.self, ImagePrune.self])
}
