// swift-tools-version: 6.2

import PackageDescription

// Whether this is the build that `integration/test` makes.
let isForTests = Context.environment["LLAVERO_TESTED_BUILD"] != nil

let language: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
  // An expression whose types take seconds to find is an error: it has to say some of them.
  .unsafeFlags(["-Xfrontend", "-solver-scope-threshold=20000"]),
]

// What a program doesn't use stays out of it. Without these, a module's package and public functions are kept for others to
// call, each with all that it uses, and its private ones lie in one piece: half a MiB more in each program.
//
// Nor does anything look into a text by the standard library's engine of regular expressions, a megabyte: Bytes has what does
// in its place.
let settings: [SwiftSetting] =
  language + [
    .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"]),
    .unsafeFlags(
      ["-Xfrontend", "-internalize-at-link", "-Xfrontend", "-function-sections"],
      .when(configuration: .release)),
  ]

// For what is not on the way to an answer, or short there, and of which there is much.
let compact: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

// For what no library shows: nobody prints its types, or looks into them, but tests do.
let compactInside: [SwiftSetting] =
  isForTests
  ? compact
  : compact + [.unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"], .when(configuration: .release))]

// For what is on the way to an answer: a generic type is found by a function, not by a name that is read first. That
// saves a twelfth of an answer's instructions.
let answering: [SwiftSetting] = [
  .unsafeFlags(
    ["-Xfrontend", "-disable-concrete-type-metadata-mangled-name-accessors"], .when(configuration: .release))
]

// For what looks at bytes one by one, where the tests build everything else without optimisation. Their own tests would take
// several times as long without it.
let optimised: [SwiftSetting] =
  isForTests ? [.unsafeFlags(["-Xfrontend", "-O"])] : []

// The tests set and use hundreds of passphrases, and wait for none.
let cheapPassphrases: [SwiftSetting] =
  isForTests ? [.define("CHEAP_PASSPHRASES")] : []

// What `--version` says of the commit, where integration/install knows it. The tests' programs don't say it: each commit would
// link them anew.
let commit: [CSetting] = {
  guard !isForTests, let name = Context.environment["LLAVERO_COMMIT"], !name.isEmpty,
    let date = Context.environment["LLAVERO_COMMIT_DATE"], !date.isEmpty
  else { return [] }
  return [.define("LLAVERO_COMMIT", to: name), .define("LLAVERO_COMMIT_DATE", to: date)]
}()

// Nothing throws C++ exceptions here, and a program that fails ends at once: nothing unwinds the stack. Functions that
// are the same, as many of generic types are, are kept once, also where their addresses are taken: nothing compares those.
// With code and constants in segments of their own, a start has half as many page faults more, and an answer takes a tenth
// longer.
let withoutUnwinding = [
  "-Xlinker", "--icf=all", "-Xlinker", "-T", "-Xlinker",
  "\(Context.packageDirectory)/Sources/llavero-credential/no-unwind-tables.ld",
]
// Before main, Swift's runtime looks for the program that would show a trace of a crash, in eight folders by nine system
// calls, and ends the process where there is no /proc. And the names of all Unicode characters, which nothing here asks for,
// are half a megabyte. CArguments has what is called instead.
let withoutParts = [
  "-Xlinker", "--wrap=swift_copyAuxiliaryExecutablePath", "-Xlinker", "--wrap=_swift_stdlib_getScalarName",
]
// With -O2, the linker keeps a string that is the end of another one in that.
let staticExecutable: [LinkerSetting] = [
  .unsafeFlags(
    ["-static-executable", "-use-ld=lld", "-Xlinker", "--no-rosegment", "-Xlinker", "-O2"] + withoutUnwinding
      + withoutParts),
  .linkedLibrary("stdc++"),
]

// What an answer touches lies together, for each page that it is on is a page fault: half as many, and a sixth less
// time. integration/startup-order writes the list.
let inOrderOfStart: [LinkerSetting] = [
  .unsafeFlags([
    "-Xlinker", "--no-warn-symbol-ordering", "-Xlinker",
    "--symbol-ordering-file=\(Context.packageDirectory)/Sources/llavero-credential/startup.order",
  ])
]

let withoutContents: [LinkerSetting] = [
  .unsafeFlags([
    "-Xlinker", "-T", "-Xlinker", "\(Context.packageDirectory)/Sources/llavero/without-contents.ld",
  ])
]

// For a companion, which loads its library. In `static` is what makes the linker take the archives of libstdc++, whose
// shared form takes half a millisecond to load, and of libsodium, libgcrypt and libexpat, which other systems have under other
// names; to relocate a position-independent executable of this size would take as much again. No
// library looks for our functions by name: the names of all that could be called would take 0.8 MiB.
let besideLibraries: [LinkerSetting] = [
  .unsafeFlags(
    [
      "-static-stdlib", "-L\(Context.packageDirectory)/Sources/llavero-secret-service/static",
      "-Xclang-linker", "-static-libgcc", "-Xclang-linker", "-no-pie", "-use-ld=lld",
      "-Xlinker", "--no-export-dynamic",
    ]
      // The folders that pkg-config names are searched first.
      + ["sodium", "gcrypt", "gpg-error", "expat"].flatMap { name in
        let script = "\(Context.packageDirectory)/Sources/llavero-secret-service/static/lib\(name).so"
        return ["-Xlinker", "--remap-inputs=*/lib\(name).so=\(script)"]
      } + withoutUnwinding + withoutParts)
]

let package = Package(
  name: "llavero",
  products: [
    .library(name: "Keychain", targets: ["Keychain", "SharedKeychain"]),
    .library(name: "KeychainTesting", targets: ["KeychainTesting"]),
    .library(name: "Age", targets: ["Age"]),
    .library(name: "EncryptedFile", targets: ["EncryptedFile"]),
    .library(name: "SecretService", targets: ["SecretService"]),
    .library(name: "DefaultKeychain", targets: ["DefaultKeychain", "KeychainChoice"]),
    .library(name: "Security", targets: ["Security"]),
    .executable(name: "llavero", targets: ["llavero"]),
    .executable(name: "llavero-credential", targets: ["llavero-credential"]),
    .executable(name: "llavero-forward", targets: ["llavero-forward"]),
    .executable(name: "llavero-secret-service", targets: ["llavero-secret-service"]),
    .executable(name: "llavero-network", targets: ["llavero-network"]),
  ],
  traits: [
    .default(enabledTraits: ["SecretService"]),
    .trait(
      name: "SecretService",
      description: "DefaultKeychain can use the desktop's Secret Service. Takes libsecret and GLib."),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
  ],
  targets: [
    .systemLibrary(name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
    .systemLibrary(
      name: "CSecret", pkgConfig: "libsecret-1", providers: [.apt(["libsecret-1-dev", "libglib2.0-dev"])]),
    .systemLibrary(name: "CExpat", pkgConfig: "expat", providers: [.apt(["libexpat1-dev"])]),
    .target(name: "CLinux"),
    // For the executables alone: a library changes nothing in the program that uses it. Without it, an answer takes 4 %
    // more instructions, five system calls more, and a fifth more page faults.
    .target(name: "CArguments"),
    // Also for them alone.
    .target(name: "CCommit", cSettings: commit),
    // For the companions, which load glibc.
    .target(name: "CGlibc"),
    // In place of Foundation, for the executables that have ArgumentParser.
    .target(
      name: "WithoutFoundation",
      swiftSettings: settings + [
        .unsafeFlags(["-Xfrontend", "-module-abi-name", "-Xfrontend", "FoundationEssentials"])
      ]),
    // What all others stand on: secret bytes, the reading and writing of bytes, threads, locks, and the one way to start
    // another program.
    .target(name: "Bytes", dependencies: ["CLinux"], swiftSettings: settings + answering + optimised),
    .target(name: "CGcrypt", linkerSettings: [.linkedLibrary("gcrypt"), .linkedLibrary("gpg-error")]),
    // libcurl's headers alone: it is loaded when it is needed.
    .target(name: "CCurl"),
    // One-time codes, over nettle: a tenth of libgcrypt, and Steam's codes need what liboath keeps to itself. The
    // archive, so that a program needs no library of another system for it.
    .target(name: "CNettle", linkerSettings: [.unsafeFlags(["-Xlinker", "-l:libnettle.a"])]),
    // The model alone: it knows no file, no bus and no protocol.
    .target(
      name: "Keychain", dependencies: ["Bytes"],
      swiftSettings: settings + answering + compact),
    // Apart from Keychain, or each executable had Swift's concurrency and Dispatch: 0.5 MiB.
    .target(name: "SharedKeychain", dependencies: ["Bytes", "Keychain"], swiftSettings: settings),
    .target(name: "KeychainTesting", dependencies: ["Keychain"], swiftSettings: settings),
    .target(
      name: "PrivateFiles", dependencies: ["Bytes", "Keychain", "CLinux"],
      swiftSettings: settings + answering + compactInside),
    .target(
      name: "Age", dependencies: ["Bytes", "CSodium"],
      swiftSettings: settings + answering + compact),
    .target(
      name: "EncryptedFile",
      dependencies: ["Bytes", "Keychain", "PrivateFiles", "Age", "CLinux"],
      swiftSettings: settings + answering + compact + cheapPassphrases),
    .target(
      name: "SecretService",
      dependencies: ["Bytes", "Keychain", "PrivateFiles", "CSecret", "CLinux"],
      swiftSettings: settings + compact),
    // The other side of it: org.freedesktop.secrets, served from a keychain, and the companion that does so.
    .target(
      name: "SecretServiceProvider",
      dependencies: [
        "Bytes", "Keychain", "SecretService", "CSecret", "CGcrypt", "CLinux", "PrivateFiles",
        "EncryptedFile", "KeychainChoice", "ToolCommands",
      ],
      swiftSettings: settings + compact),
    .target(
      name: "KeychainChoice",
      dependencies: ["Bytes", "Keychain", "PrivateFiles", "EncryptedFile", "Forwarding", "CLinux"],
      swiftSettings: settings + answering + compact),
    .target(
      name: "DefaultKeychain",
      dependencies: [
        "Keychain", "KeychainChoice", "EncryptedFile", "Forwarding",
        .target(name: "SecretService", condition: .when(traits: ["SecretService"])),
      ], swiftSettings: settings),
    .target(
      name: "CredentialProtocols", dependencies: ["Bytes", "Keychain"],
      swiftSettings: settings + answering + compactInside),
    .target(
      name: "Security",
      dependencies: ["Bytes", "Keychain", "KeychainChoice", "DefaultKeychain"],
      swiftSettings: settings),
    // OAuth: the flows as bytes in, bytes out. It knows no network and no keychain.
    .target(
      name: "SignIn", dependencies: ["Bytes", "CredentialProtocols", "CSodium"],
      swiftSettings: settings + compactInside),
    // A keychain in OpenBao or HashiCorp Vault. It knows no network either.
    .target(
      name: "OpenBao", dependencies: ["Bytes", "Keychain", "SignIn"],
      swiftSettings: settings + compactInside),
    // A keychain on another machine: what is said between both, who may have what, the side that asks, and the formats
    // of SSH's agents, keys and known hosts, without cryptography.
    .target(
      name: "Forwarding",
      dependencies: ["Bytes", "Keychain", "CredentialProtocols", "CLinux", "PrivateFiles", "EncryptedFile"],
      swiftSettings: settings + compactInside),
    .target(
      name: "Interchange",
      dependencies: ["Bytes", "Keychain", "CredentialProtocols", "CExpat", "CNettle"],
      swiftSettings: settings + compactInside),
    // What tools call, and all that this needs; what a program shows of itself: its streams, its terminal, tables, and why
    // it failed. No ArgumentParser, hence no Foundation and no Dispatch.
    .target(
      name: "ToolCommands",
      dependencies: [
        "Bytes", "Keychain", "PrivateFiles", "EncryptedFile", "KeychainChoice",
        "CredentialProtocols", "Forwarding", "SignIn", "OpenBao", "CLinux", "Age",
      ],
      swiftSettings: settings + answering + compactInside),
    // The companion that forwards the keychain: its agent, and what answers one request.
    .target(
      name: "ForwardProgram",
      dependencies: [
        "Bytes", "Keychain", "PrivateFiles", "EncryptedFile", "KeychainChoice", "Forwarding",
        "ToolCommands", "CLinux", "CGcrypt",
      ],
      swiftSettings: settings),
    // The companion that has the network: signing in, and renewing tokens. The one place that uses libcurl.
    .target(
      name: "NetworkProgram",
      dependencies: [
        "Bytes", "Keychain", "CredentialProtocols", "PrivateFiles", "SignIn",
        "ToolCommands", "CLinux", "CGcrypt", "CCurl",
      ],
      swiftSettings: settings + compact),
    // What people type.
    .target(
      name: "Commands",
      dependencies: [
        "Bytes", "Keychain", "PrivateFiles", "EncryptedFile", "KeychainChoice", "Interchange",
        "CredentialProtocols", "Age", "Forwarding", "SignIn", "ToolCommands", "OpenBao",
        "CLinux", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: settings + compact),
    .executableTarget(
      name: "llavero", dependencies: ["Commands", "WithoutFoundation", "CArguments", "CCommit"],
      exclude: ["python", "without-contents.ld"],
      swiftSettings: settings,
      linkerSettings: staticExecutable + withoutContents),
    .executableTarget(
      name: "llavero-credential", dependencies: ["ToolCommands", "CArguments", "CCommit"],
      exclude: ["no-unwind-tables.ld", "startup.order"],
      swiftSettings: settings, linkerSettings: staticExecutable + inOrderOfStart),
    .executableTarget(
      name: "llavero-forward", dependencies: ["ForwardProgram", "CArguments", "CCommit"],
      swiftSettings: settings,
      linkerSettings: staticExecutable + inOrderOfStart),
    .executableTarget(
      name: "llavero-network", dependencies: ["NetworkProgram", "CArguments", "CCommit", "CGlibc"],
      swiftSettings: settings,
      linkerSettings: besideLibraries),
    .executableTarget(
      name: "llavero-secret-service",
      dependencies: [
        "Commands", "ToolCommands", "SecretServiceProvider", "Keychain", "SecretService",
        "WithoutFoundation", "CArguments", "CCommit", "CGlibc",
      ],
      exclude: ["static", "llavero.portal"], swiftSettings: settings,
      linkerSettings: besideLibraries + withoutContents),

    .systemLibrary(
      name: "CZlib", path: "Tests/CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .target(
      name: "TestSupport",
      dependencies: [
        "Bytes", "Age", "Keychain", "PrivateFiles", "EncryptedFile",
        "SharedKeychain", "KeychainTesting", "SecretService", "Forwarding", "SignIn", "OpenBao",
        "NetworkProgram", "CLinux",
      ],
      path: "Tests/TestSupport",
      swiftSettings: settings),
    // It knows nothing of llavero, so that every test can have it.
    .target(name: "Expectations", path: "Tests/Expectations", swiftSettings: settings),
    // What the fuzzer's targets and the tests share; depends on nothing, for it is built for the fuzzer, too.
    .target(name: "Properties", path: "Tests/Properties", swiftSettings: settings),
    .testTarget(
      name: "BytesTests", dependencies: ["Expectations", "Bytes", "TestSupport", "Properties"],
      swiftSettings: language),
    .testTarget(
      name: "SSHTests",
      dependencies: ["Expectations", "Bytes", "Forwarding", "ForwardProgram", "Properties", "TestSupport"],
      exclude: ["Samples"], swiftSettings: language),
    .testTarget(
      name: "KeychainTests",
      dependencies: ["Expectations", "Bytes", "Keychain", "KeychainTesting", "TestSupport"],
      swiftSettings: language),
    .testTarget(
      name: "SharedKeychainTests",
      dependencies: [
        "Expectations", "Bytes", "Keychain", "SharedKeychain", "KeychainTesting", "TestSupport",
      ],
      swiftSettings: language),
    .testTarget(
      name: "SecurityCodesTests", dependencies: ["Expectations", "Keychain", "TestSupport"],
      swiftSettings: language),
    .testTarget(
      name: "AgeTests",
      dependencies: [
        "Expectations", "Bytes", "Age", "CSodium", "CZlib", "Properties", "TestSupport",
      ],
      exclude: ["age-plugin-test"],
      swiftSettings: language),
    .testTarget(
      name: "EncryptedFileTests",
      dependencies: [
        "Expectations", "Bytes", "SharedKeychain", "KeychainTesting", "EncryptedFile",
        "PrivateFiles", "Age", "CLinux", "TestSupport", "Properties",
      ],
      swiftSettings: language),
    .testTarget(
      name: "KeychainChoiceTests",
      dependencies: ["Expectations", "Bytes", "KeychainChoice", "EncryptedFile", "TestSupport"],
      swiftSettings: language),
    .testTarget(
      name: "DefaultKeychainTests",
      dependencies: [
        "Expectations", "DefaultKeychain", "KeychainChoice", "EncryptedFile", "SecretService", "TestSupport",
      ],
      swiftSettings: language),
    .testTarget(
      name: "SecretServiceTests",
      dependencies: [
        "Expectations", "SharedKeychain", "KeychainTesting", "SecretService", "Keychain", "PrivateFiles",
        "CLinux", "TestSupport",
      ],
      swiftSettings: language),
    .testTarget(
      name: "SecretServiceProviderTests",
      dependencies: [
        "Expectations", "Bytes", "Forwarding", "Keychain", "KeychainTesting", "SecretService",
        "SecretServiceProvider", "TestSupport",
      ],
      swiftSettings: language),
    // Runs security-programs and llavero, and depends on neither, as CommandsTests.
    .testTarget(
      name: "SecurityTests",
      dependencies: [
        "Expectations", "KeychainTesting", "Security", "EncryptedFile", "TestSupport", "Properties",
      ],
      exclude: ["Programs"], swiftSettings: language),
    .testTarget(
      name: "CredentialProtocolsTests",
      dependencies: [
        "Expectations", "KeychainTesting", "CredentialProtocols", "TestSupport", "Properties",
      ],
      swiftSettings: language),
    .testTarget(
      name: "SignInTests", dependencies: ["Expectations", "Bytes", "SignIn", "Properties"],
      swiftSettings: language),
    .testTarget(
      name: "OpenBaoTests",
      dependencies: [
        "Expectations", "Bytes", "Keychain", "SignIn", "OpenBao", "ToolCommands", "TestSupport", "Properties",
      ],
      swiftSettings: language),
    .testTarget(
      name: "ForwardingTests",
      dependencies: [
        "Expectations", "Bytes", "CLinux", "Forwarding", "PrivateFiles", "ForwardProgram", "KeychainTesting",
        "TestSupport", "Properties",
      ],
      swiftSettings: language),
    .testTarget(
      name: "InterchangeTests",
      dependencies: ["Expectations", "Interchange", "TestSupport", "Properties"],
      exclude: ["Samples"], swiftSettings: language),
    .testTarget(
      name: "ToolCommandsTests",
      dependencies: [
        "Expectations", "Bytes", "Keychain", "Age", "EncryptedFile", "ForwardProgram",
        "NetworkProgram", "TestSupport",
      ],
      swiftSettings: language),
    // Runs the executable, and must not depend on it: its linker settings would be the test bundle's too.
    .testTarget(
      name: "CommandsTests",
      dependencies: [
        "Expectations", "Bytes", "Keychain", "KeychainTesting", "EncryptedFile", "KeychainChoice",
        "Commands", "ToolCommands", "CredentialProtocols", "Forwarding", "Interchange", "TestSupport",
      ],
      exclude: ["Transcripts"], swiftSettings: language),
    .testTarget(
      name: "AgeInteropTests",
      dependencies: ["Expectations", "Age", "TestSupport"],
      path: "integration/AgeInteropTests", swiftSettings: language),
    .executableTarget(
      name: "vault-fixture", dependencies: ["EncryptedFile"], path: "integration/VaultFixture",
      swiftSettings: settings),
    // Random sequences of all that can be done with a vault, beside a model of what comes of it.
    .executableTarget(
      name: "vault-model",
      dependencies: [
        "EncryptedFile", "Keychain", "KeychainTesting", "Age", "CSodium", "TestSupport",
      ],
      path: "Tests/VaultModel", exclude: ["vault_reader.py"], swiftSettings: settings),
    // Programs as people write them for Keychain Services; the tests run them.
    .executableTarget(
      name: "security-programs", dependencies: ["Security"], path: "Tests/SecurityTests/Programs",
      swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]),
  ]
)
