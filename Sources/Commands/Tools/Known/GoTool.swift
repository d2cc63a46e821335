import Keychain
import ToolCommands

extension KnownTool {
  static let go = KnownTool(
    ToolSetup(
      name: "go", programs: ["go"],
      settings: { (place) throws(KeychainError) in
        let command = "\(try place.plain(LastingPath.ofProgram())) goauth"
        return [ToolSetting(place.path("GOENV") ?? place.config("go/env"), GoAuthList.setting(command))]
      },
      next: ToolSetup.nextIsLogin),
    speaks: "goauth", page: "llavero-goauth(1)",
    recipes: [
      "go": """
          llavero setup go
          llavero add https://goproxy.example --account alice
          GOPROXY=https://goproxy.example go mod download example.com/one@v1.0.0

      go downloads the module from the proxy as alice.
      """
    ])
}
