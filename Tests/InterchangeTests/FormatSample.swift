import Glibc
import TestSupport
import Testing

/// A file as another program writes it.
enum Sample {
  /// All samples.
  static let names = [
    "1password.csv", "bitwarden.csv", "bitwarden.json", "cargo-config.toml", "cargo-credentials.toml",
    "chrome.csv",
    "docker-config.json", "docker-login.json", "firefox.csv", "gh-hosts-2.40.yml", "gh-hosts.yml",
    "keepassxc.csv",
    "keyring_pass.cfg", "netrc", "pypirc", "skopeo-auth.json", "vault.jsonl", "exports/x-aws",
    "exports/x-gitconfig", "exports/x-kube", "exports/x-npmrc", "exports/x-pipconf", "exports/x-tfrc",
    "exports/glab.yml",
    "exports/uv.toml", "exports/auth.json", "exports/gradle.properties", "exports/pgpass", "exports/my.cnf",
    "exports/yarnrc.yml", "exports/settings.xml", "exports/NuGet.Config", "exports/rclone.conf",
    "exports/ana.credential",
    "exports/dashlane-more.csv", "exports/enpass.csv", "exports/keepass1.csv", "exports/keeper.csv",
    "exports/lastpass-more.csv", "exports/nordpass.csv", "exports/proton-more.csv", "exports/roboform.csv",
    "exports/roboform-old.csv", "exports/safari.csv",
    "1password.1pif", "keepass2.xml", "protonpass.json",
  ]

  /// The contents of the sample with this name.
  static func bytes(of name: String) throws -> [UInt8] {
    let folder = #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Samples"
    return try contents(of: "\(folder)/\(name)")
  }
}
