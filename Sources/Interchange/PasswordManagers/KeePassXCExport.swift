import Keychain

extension FileFormat {
  /// The output of KeePassXC's "Export", "CSV", and of `keepassxc-cli export`, also as XML.
  public static let keepassxc = FileFormat(
    "keepassxc", "KeePassXC's export in CSV, or any file for 'keepass'", otherNames: ["keepassx"],
    forms: [
      FileFormat(
        "keepassxc", "its CSV",
        CSVExport(
          name: ["Title"], url: ["URL"], account: ["Username"], password: ["Password"], notes: ["Notes"],
          code: ["TOTP"], tags: [.init(column: "Tags", separator: UInt8(ascii: ";"))],
          dates: ("Created", modified: "Last Modified", .milliseconds), others: ["Icon"],
          group: ("Group", discarded: keePassXCBins), hasPlaceholders: true))
    ], others: [.keePassXML.beginning(with: "<")])

  /// KeePassXC's default names for its bin, in each of its languages (2.8, `share/translations`). The export doesn't
  /// say which group it is.
  static let keePassXCBins: [ByteString] = [
    "Recycle Bin", "Cestino", "Corbeille", "Coș de gunoi", "Keranjang Sampah", "Kosh Hedhurinash", "Kosz",
    "Koš",
    "Koš za smeće", "Kuka", "Kôš", "Lixeira", "Papelera", "Paperera", "Papierkorb", "Papirkurv",
    "Papperskorg",
    "Prullenbak", "Prügikast", "Reciclagem", "Roskakori", "Çöp kutusu", "Šiukšlinė", "Κάδος Ανακύκλωσης",
    "Корзина",
    "Корпа за отпатке", "Кошче", "Смітник", "סל־מחזור", "سلة المهملات", "ප්\u{200d}රතිචක්\u{200d}රීකරණ බඳුන",
    "ถังขยะ", "အမှိုက်ပုံး",
    "ធុងសំរាម", "ゴミ箱", "回收桶", "回收站", "휴지통",
  ]
}
