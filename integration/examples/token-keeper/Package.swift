// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "token-keeper",
  dependencies: [
    // In your package: .package(url: "…", from: "1.0.0")
    .package(name: "llavero", path: "../../..")
  ],
  targets: [
    .target(
      name: "TokenKeeper", dependencies: [.product(name: "Keychain", package: "llavero")]),
    .executableTarget(
      name: "token-keeper",
      dependencies: [
        "TokenKeeper",
        .product(name: "Keychain", package: "llavero"),
        .product(name: "DefaultKeychain", package: "llavero"),
      ]),
    .testTarget(
      name: "TokenKeeperTests",
      dependencies: [
        "TokenKeeper",
        .product(name: "Keychain", package: "llavero"),
        .product(name: "KeychainTesting", package: "llavero"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
