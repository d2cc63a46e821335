import CredentialProtocols
import Expectations
import Keychain
import Testing

@testable import Commands

@Suite("git's helpers") struct GitHelperChainTests {
  /// Makes chains from the entries of one file, `URL=HELPER` or `=HELPER`.
  private func chains(_ entries: [String]) -> [GitHelperChain] { GitHelperChain.all(in: settings(entries)) }

  private func settings(_ entries: [String]) -> [GitSettings.Entry] {
    entries.map { entry in
      let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return GitSettings.Entry(
        name: parts[0].isEmpty ? "credential.helper" : "credential.\(parts[0]).helper",
        value: String(parts[1]), scope: "global", origin: "file:/home/me/.gitconfig")
    }
  }

  @Test("helpers are asked in their order, and an empty one forgets those before")
  func order() {
    expect(chains(["=store", "=", "=cache", "=llavero"])[0].asked.map(\.value), is: ["cache", "llavero"])
    expect(chains([])[0].asked.isEmpty)
  }

  @Test("a URL has the helpers for all and its own, as they stand in the files")
  func urls() {
    let all = chains(["=llavero", "https://a=", "https://a=x", "https://b=y", "=z"])
    expect(all.map(\.url), is: [nil, "https://a", "https://b"])
    expect(all.map { $0.asked.map(\.value) }, is: [["llavero", "z"], ["x", "z"], ["llavero", "y", "z"]])
    expect(all[1].forgotten?.helper.value, is: "llavero")
    expect(all[2].forgotten == nil)
  }

  @Test(
    "llavero is known by each of its names",
    arguments: [
      ("llavero", true), ("/usr/bin/git-credential-llavero", true), ("llavero --no-prompt", true),
      ("!llavero git-credential", true), ("!/opt/bin/llavero git-credential", true), ("store", false),
      ("libsecret", false), ("!gh auth git-credential", false), ("", false),
    ])
  func names(value: String, isLlavero: Bool) {
    expect(GitHelperChain.Helper(key: "", value: value, origin: "", scope: "").isLlavero, is: isLlavero)
  }

  @Test(
    "what is wrong is told, and llavero alone is right",
    arguments: [
      (["=llavero"], [[]]), (["=store", "=", "=llavero"], [[]]),
      // A helper that makes new tokens if none are stored yet.
      (["=llavero", "=oauth"], [[]]), (["=llavero", "https://a=special"], [[], []]),
      (["=store"], [["git doesn't ask llavero", "store keeps every login in plain text"]]),
      (["=llavero", "=store"], [["store keeps every login in plain text, beside llavero"]]),
      (
        ["=/usr/lib/git-core/git-credential-store --file x", "=llavero"],
        [["store keeps every login in plain text, beside llavero"]]
      ),
      (["=libsecret", "=llavero"], [["libsecret answers before llavero"]]),
      (["=llavero", "=cache"], [["cache comes after llavero, so git never asks it"]]),
      (
        ["=llavero", "="],
        [["git forgets llavero here, by the empty helper in global, /home/me/.gitconfig"]]
      ),
      ([], [["git doesn't ask llavero"]]),
    ] as [([String], [[String]])])
  func wrong(entries: [String], told: [[String]]) {
    expect(chains(entries).map { $0.problems().map(\.problem) }, is: told)
  }

  @Test("helpers beside llavero have the host that they are for")
  func besideLlavero() {
    func names(_ entries: [String]) -> [String] {
      GitHelperChain.helpersBesideLlavero(in: settings(entries))
    }
    expect(names(["=llavero", "https://a=llavero"]), is: [])
    expect(names(["=gone", "=", "=store --file x", "=llavero"]), is: ["store"])
    expect(
      names(["=store", "https://a=", "https://a=!/usr/bin/gh auth git-credential", "https://b=cloud.sh"]),
      is: ["store", "gh for https://a", "cloud.sh for https://b"])
  }

  @Test("what was reset for a URL names the line that does it")
  func reset() throws {
    let chain = chains(["=llavero", "https://github.com=", "https://github.com=!gh auth git-credential"])[1]
    let problem = try #require(chain.problems().first)
    expect(problem.problem.hasPrefix("git forgets llavero here"))
    expect(
      problem.remedy?.description, is: "git config --global --unset-all credential.https://github.com.helper")
  }

  @Test("a removal is of that value and no other")
  func removal() {
    func removal(_ value: String, _ key: String = "credential.helper") -> String {
      GitHelperChain.Helper(key: key, value: value, origin: "file:/f", scope: "local").removal.description
    }
    expect(
      removal("store --file x"),
      is: "git config --local --fixed-value --unset-all credential.helper \"store --file x\"")
    expect(
      removal("!f() { echo 'x'; }"),
      is: "git config --local --fixed-value --unset-all credential.helper $'!f() { echo \\'x\\'; }'")
    // A repository's own configuration may have it.
    expect(
      removal("store", "credential.https://x/;touch${IFS}y;.helper"),
      is: "git config --local --fixed-value --unset-all $'credential.https://x/;touch${IFS}y;.helper' store")
  }

  @Test(
    "the list says who answers before llavero, and nothing of those asked after it",
    arguments: [
      (["=llavero"], [nil]), (["=llavero", "=oauth"], [nil]), ([], [nil]),
      (["=oauth", "=llavero"], ["git asks oauth, then llavero"]),
      (["=llavero", "https://a=store"], [nil, nil]), (["=llavero", "="], [nil]),
      (["=llavero", "https://a="], [nil, "for https://a, git forgets llavero"]),
      (["=llavero", "https://a=", "https://a=gh"], [nil, "for https://a, git asks gh, and not llavero"]),
    ] as [([String], [String?])])
  func answersBefore(entries: [String], told: [String?]) {
    expect(chains(entries).map(\.otherwise), is: told)
  }

  @Test(
    "the file named is that of the other helper",
    arguments: [
      (["file:/etc/gitconfig", "file:/home/me/.gitconfig"], "/etc/gitconfig"),
      (["file:/home/me/.gitconfig", "file:/etc/gitconfig"], "/home/me/.gitconfig"),
      (["command line:", "file:/f"], nil),
    ] as [([String], String?)])
  func fileOfOther(origins: [String], told: String?) {
    let entries = zip(["gcloud.sh", "llavero"], origins).map { helper, origin in
      GitSettings.Entry(
        name: "credential.https://a.helper", value: helper, scope: "global", origin: origin)
    }
    let chain = GitHelperChain.all(in: entries)[1]
    expect(chain.otherwise?.hasPrefix("for https://a, git asks gcloud.sh, then llavero") == true)
    expect(chain.fileOfOther, is: told)
  }

  @Test(
    "and what leaves a URL to llavero",
    arguments: [
      (["=llavero"], nil), (["=oauth", "=llavero"], nil), (["=llavero", "https://a=store"], nil),
      (
        ["=llavero", "https://a="],
        "'git config --global --unset-all credential.https://a.helper' leaves it to llavero"
      ),
      (
        ["=llavero", "https://a=", "https://a=gh"],
        "'git config --global --unset-all credential.https://a.helper' removes the set-up of gh there, "
          + "and leaves it to llavero"
      ),
    ] as [([String], String?)])
  func leaving(entries: [String], told: String?) {
    expect(chains(entries).last?.leaving?.description, is: told)
  }

  @Test("files of git's store are found")
  func files() {
    let values = ["store --file /a", "store --file=/b", "store", "cache --file /c"]
    expect(chains(values.map { "=" + $0 })[0].storeFiles, is: ["/a", "/b"])
  }
}
