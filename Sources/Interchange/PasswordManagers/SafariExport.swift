import Bytes
import CredentialProtocols
import Keychain

extension FileFormat {
  /// The output of "Export All Passwords" in Apple's Passwords, and of Safari since version 15.
  public static let safari = FileFormat(
    "safari", "the CSV that Apple's Passwords and Safari export", otherNames: ["apple-passwords", "apple"],
    CSVExport(
      name: ["Title"], url: ["URL"], account: ["Username"], password: ["Password"], notes: ["Notes"],
      code: ["OTPAuth"], typicalColumn: "OTPAuth"
    ) { login, _ in
      // An entry gets this title automatically; the key contains it, too.
      guard let address = login.addresses.first, let place = Place.ofServer(in: address.text)?.place else {
        return
      }
      let server = place.server.bytes
      let title = [server, Array(" (".utf8), login.account.bytes, Array(")".utf8)].flatMap { $0 }
      if login.name.bytes == title { login.name = "" }
    })
}
