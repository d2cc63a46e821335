import Keychain
import ToolCommands

extension KnownTool {
  static let wget = KnownTool(
    ToolSetup(
      name: "wget", programs: ["wget"],
      settings: { (place) throws(KeychainError) in
        // `WgetLogin` reads there which program was named before.
        let line = VariableLines(.wget, "use_askpass", is: try place.absolute("llavero-askpass"))
        return [ToolSetting(place.path("WGETRC") ?? place.home(".wgetrc"), line)]
      },
      next: ToolSetup.nextIsLogin),
    speaks: "askpass", page: "llavero-askpass(1)",
    recipes: [
      "wget": """
          llavero setup wget
          llavero add https://files.example --account alice
          wget https://files.example/private

      wget downloads the file as alice.
      """
    ])
}
