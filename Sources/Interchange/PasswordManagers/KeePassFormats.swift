import Keychain

extension FileFormat {
  /// The exports of KeePass, in each of its forms. Its CSV is the output of "Export", "KeePass CSV (1.x)", in KeePass 1
  /// and 2 (keepass.info, "Import / Export"), which has neither groups nor custom fields.
  public static let keePass = FileFormat(
    "keepass", "the CSV, XML or database of KeePass 1, 2 and KeePassXC",
    otherNames: ["keepass1", "keepass2"],
    forms: [
      FileFormat(
        "keepass", "the CSV that KeePass exports",
        CSVExport(
          columns: [
            .name: ["Account"], .url: ["Web Site"], .account: ["Login Name"], .password: ["Password"],
            .notes: ["Comments"],
          ], ownColumn: "Login Name", escape: .backslash, hasPlaceholders: true)),
      .keePassXML.beginning(with: "<"),
    ])

  /// The output of KeePassXC's "Export", "CSV", and of `keepassxc-cli export`, also as XML.
  public static let keepassxc = FileFormat(
    "keepassxc", "KeePassXC's export in CSV, or any file for 'keepass'", otherNames: ["keepassx"],
    forms: [
      FileFormat(
        "keepassxc", "its CSV",
        CSVExport(
          columns: [
            .name: ["Title"], .url: ["URL"], .account: ["Username"], .password: ["Password"],
            .notes: ["Notes"],
            .code: ["TOTP"], .created: ["Created"], .modified: ["Last Modified"], .group: ["Group"],
          ], tags: [.init(column: "Tags", separator: UInt8(ascii: ";"))], others: ["Icon"],
          bins: keePassXCBins, hasPlaceholders: true))
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
