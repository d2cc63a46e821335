import Bytes
import Testing

@testable import Commands

@Suite("Variables of a folder", .timeLimit(.minutes(60)))
struct FolderVariablesTests {
  @Test("what changes programs is told from what they only read")
  func risks() {
    let risky: [ByteString] = [
      "LD_PRELOAD", "PATH", "GIT_SSH_COMMAND", "GIT_CONFIG_COUNT", "NODE_OPTIONS", "BASH_ENV", "https_proxy",
      "ALL_PROXY",
      "SUDO_ASKPASS", "MANPAGER", "JAVA_TOOL_OPTIONS", "RUSTC_WRAPPER", "npm_config_registry",
      "LLAVERO_KEYCHAIN",
      "RESTIC_PASSWORD_COMMAND", "PIP_INDEX_URL", "AWS_ENDPOINT_URL", "PYTHONPATH", "DOCKER_HOST",
    ]
    #expect(risky.filter { !RiskyVariable.isOne($0) } == [])
    let plain: [ByteString] = [
      "DATABASE_URL", "NODE_ENV", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "PYTHONUNBUFFERED",
      "PORT", "GOOGLE_KEY",
      "APP_PATH", "DOCKER_TOKEN", "CARGO_REGISTRY_TOKEN", "PGPASSWORD",
    ]
    #expect(plain.filter(RiskyVariable.isOne) == [])
  }
}
