import Bytes
import Expectations
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
      "ZDOTDIR", "SHELLOPTS", "DOTNET_STARTUP_HOOKS", "CORECLR_PROFILER_PATH", "PERLLIB", "LUA_INIT_5_4",
      "LUA_CPATH",
      "PHPRC", "PHP_INI_SCAN_DIR", "GEM_PATH", "BUNDLE_GEMFILE", "RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS",
      "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "RUSTUP_TOOLCHAIN", "GOTOOLCHAIN", "GOSUMDB",
      "OPENSSL_CONF",
      "AWS_SHARED_CREDENTIALS_FILE", "AWS_ENDPOINT_URL_S3", "TF_CLI_CONFIG_FILE", "TF_CLI_ARGS_plan",
      "ANSIBLE_LIBRARY", "ANSIBLE_BECOME_PASSWORD_FILE", "VIMINIT", "MAVEN_ARGS", "GRADLE_USER_HOME",
      "UV_INDEX_URL",
      "GTK_MODULES", "QT_PLUGIN_PATH", "PGSERVICEFILE", "VAULT_ADDR",
    ]
    expect(risky.filter { !RiskyVariable.isOne($0) }, is: [])
    let plain: [ByteString] = [
      "DATABASE_URL", "NODE_ENV", "NPM_TOKEN", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "PYTHONUNBUFFERED",
      "PORT", "GOOGLE_KEY",
      "APP_PATH", "DOCKER_TOKEN", "CARGO_REGISTRY_TOKEN", "PGPASSWORD",
      "GEM_HOST_API_KEY", "UV_PUBLISH_TOKEN", "VAULT_TOKEN", "GOOGLE_APPLICATION_CREDENTIALS", "RUST_LOG",
      "LUA",
      "GRADLE_PUBLISH_KEY", "TF_VAR_password", "TF_TOKEN_app_terraform_io", "PHP_ENV", "TEST_RUNNER",
    ]
    expect(plain.filter(RiskyVariable.isOne), is: [])
  }
}
