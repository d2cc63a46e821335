import Glibc
import Interchange
import TestSupport

/// A file as another program writes it.
enum Sample {
  /// The samples that stand alone, each with its format.
  static let all: [(name: String, format: FileFormat)] = [
    ("1password-export.data", .onePassword), ("1password.1pif", .onePassword),
    ("1password.csv", .onePassword),
    ("bitwarden.csv", .bitwarden), ("bitwarden.json", .bitwarden), ("cargo-credentials.toml", .cargo),
    ("chrome.csv", .chrome), ("cxf.json", .credentialExchange), ("docker-config.json", .docker),
    ("docker-login.json", .docker), ("enpass.json", .enpass), ("firefox.csv", .firefox),
    ("gh-hosts-2.40.yml", .gitHub), ("gh-hosts.yml", .gitHub), ("keepass2.xml", .keePass),
    ("keepassxc.csv", .keepassxc), ("keeper.json", .keeper), ("keyring_pass.cfg", .keyring),
    ("netrc", .netrc), ("protonpass.json", .protonPass), ("pypirc", .pypirc), ("vault.jsonl", .llavero),
    ("exports/1p.export.data", .onePassword), ("exports/1p7.csv", .onePassword),
    ("exports/1p8.csv", .onePassword), ("exports/NuGet.Config", .nuget), ("exports/ana.credential", .gcm),
    ("exports/auth.json", .composer), ("exports/bw-bom-crlf.csv", .bitwarden),
    ("exports/bw-semi.csv", .bitwarden), ("exports/bw-surrogate.json", .bitwarden),
    ("exports/bw-utf16.csv", .bitwarden), ("exports/bw.json", .bitwarden), ("exports/chrome.csv", .chrome),
    ("exports/cxf-short.json", .credentialExchange), ("exports/dashlane-more.csv", .dashlane),
    ("exports/dashlane.csv", .dashlane), ("exports/edge.csv", .chrome), ("exports/enpass-old.csv", .enpass),
    ("exports/enpass-short.json", .enpass), ("exports/enpass.csv", .enpass), ("exports/ff.csv", .firefox),
    ("exports/gh-new.yml", .gitHub), ("exports/gh-old.yml", .gitHub),
    ("exports/git-credentials", .gitCredentials), ("exports/git-credentials-bom", .gitCredentials),
    ("exports/glab.yml", .gitLab), ("exports/gradle.properties", .gradle),
    ("exports/kdbx-as-csv.csv", .keepassxc), ("exports/kdbx-as-xml.xml", .keepassxc),
    ("exports/keepass.xml", .keePass), ("exports/keepass1.csv", .keePass), ("exports/keepass2.csv", .keePass),
    ("exports/keeper.csv", .keeper), ("exports/kpxc.csv", .keepassxc),
    ("exports/lastpass-more.csv", .lastPass),
    ("exports/lastpass.csv", .lastPass), ("exports/my.cnf", .mysql), ("exports/netrc-emacs", .netrc),
    ("exports/netrc1", .netrc), ("exports/nordpass.csv", .nordPass), ("exports/pgpass", .pgpass),
    ("exports/proton-more.csv", .protonPass), ("exports/proton-old.csv", .protonPass),
    ("exports/proton.csv", .protonPass), ("exports/rclone.conf", .rclone),
    ("exports/roboform-old.csv", .roboForm), ("exports/roboform.csv", .roboForm),
    ("exports/safari-old.csv", .safari), ("exports/safari.csv", .safari), ("exports/settings.xml", .maven),
    ("exports/uv.toml", .uv), ("exports/x-aws", .aws), ("exports/x-gitconfig", .gitConfiguration),
    ("exports/x-kube", .kubectl), ("exports/x-npmrc", .npm), ("exports/x-pipconf", .pip),
    ("exports/x-tfrc", .terraform), ("exports/x-vaulttoken", .vault), ("exports/yarnrc.yml", .yarn),
  ]

  /// Where the sample with this name is.
  static func path(of name: String) -> String {
    #filePath.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/Samples/\(name)"
  }

  /// The contents of the sample with this name.
  static func bytes(of name: String) throws -> [UInt8] { try contents(of: path(of: name)) }
}
