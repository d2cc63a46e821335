import Bytes
import Interchange
import Keychain
import ToolCommands

extension KnownTool {
  /// kubectl, and every other program that reads kubeconfigs. Each user in them is set up separately.
  static let kubectl = KnownTool(
    ToolSetup(
      name: "kubectl", programs: ["kubectl"],
      settings: { (place) throws(KeychainError) in
        let configurations = Kubeconfigs(place)
        let user = place.part(users)
        let program = try place.plain(LastingPath.ofProgram())
        return [ToolSetting(configurations.file(of: user), KubeconfigExec(user: user, program: program))]
      },
      earlier: { place in
        let user = place.part(users)
        return [
          EarlierAnswers(in: Kubeconfigs(place).file(of: user)) { (text) throws(ConfigurationFault) in
            try answers(before: user, in: text)
          }
        ]
      },
      parts: users, isUnclear: isUnclear,
      next: { place in
        let configurations = Kubeconfigs(place)
        let user = place.part(users) ?? "USER"
        guard let server = configurations.server(for: user) else {
          return "store its token with \(command: "llavero", "add", "--service", "kubectl:\(user)")"
        }
        return
          "store its token with \(command: "llavero", "add", "--domain", "kubectl", "--account", user, server)"
      }),
    speaks: "kubectl", imports: ["kubectl"], page: "llavero-kubectl(1)",
    recipes: [
      "kubectl": """
          llavero setup kubectl
          llavero add --domain kubectl --account NAME https://k8s.example:6443
          kubectl get --raw /api/v1/namespaces

      The first command is for the user of the current context, which is NAME;
      '--user NAME' names another. The secret is a token, or a certificate and
      its key as PEM. kubectl prints the namespaces. A token that the kubeconfig
      has comes first: when llavero has it, take it out of there with

          kubectl config unset users.NAME.token
      """
    ])

  private static let users = ToolSetup.Parts(name: "user", usual: { Kubeconfigs($0).currentUser })

  private static func isUnclear(_ place: SetupPlace) -> KeychainError? {
    let configurations = Kubeconfigs(place)
    let file = configurations.file(of: nil)
    if let text = try? file.contents(), (try? Kubeconfig(text)) == nil { return nil }
    let names = configurations.users
    if names.isEmpty {
      return .failure(
        "there is no user in \(file.path)", hint: "if it is elsewhere, name it in KUBECONFIG",
        status: .usage)
    }
    let user = place.part(users)
    if let user, names.contains(user) { return nil }
    return KeychainError(
      user.map { "no kubeconfig has a user \($0)" } ?? configurations.currentContext.map {
        "llavero can't tell the user of the current context \($0)"
      } ?? "\(file.path) names no current context",
      hint:
        "name the user with \(command: "llavero", "setup", "kubectl", "--user", "NAME"): \(prose: names.joined(separator: ", "))",
      status: .usage)
  }

  /// Settings that kubectl uses before it asks a program: a token, and since 1.24 a certificate (kubernetes/kubernetes
  /// #91745 and #107410).
  private static func answers(before user: String?, in text: [UInt8]) throws(ConfigurationFault) -> [String] {
    let file = try Kubeconfig(text)
    guard let user, let own = file.settings(of: user) else { return [] }
    let names: [(key: String, what: String)] = [
      ("token", "the token"), ("tokenFile", "the token"), ("client-certificate-data", "the certificate"),
      ("client-certificate", "the certificate"), ("username", "the password"),
    ]
    let present = file.document.children(of: own).compactMap(\.path.last)
    return names.filter { present.contains(ByteString($0.key)) }.map {
      "kubectl takes \($0.what) of the user \(user) from here, and doesn't ask llavero"
    }
  }
}
