import Bytes
import Expectations
import Glibc
import Keychain
import Testing

@Suite("fields that a person has named")
struct TextMembersTests {
  private func fields(_ members: borrowing TextMembersBuilder) -> [String] {
    var fields: [String] = []
    members.text.withUnsafeBytes { text in
      if text.isEmpty { return }
      TextMembers.forEach(in: text) { fields.append("\($0)=\(String(decoding: $1, as: UTF8.self))") }
    }
    return fields
  }

  @Test("a second one of a name gets a number, and one without a name gets one")
  func names() {
    var members = TextMembersBuilder()
    let isEmpty = members.isEmpty && members.text.isEmpty
    expect(isEmpty)
    for name: ByteString in ["PIN", "PIN 2", "PIN", "PIN", "", ""] {
      let isAdded = members.addField(name, Secret("x"))
      expect(isAdded)
    }
    let all = fields(members)
    expect(all, is: ["PIN=x", "PIN 2=x", "PIN 3=x", "PIN 4=x", "field=x", "field 2=x"])
    let before = members.text
    let isAdded = members.addField("odd", Secret(copying: ByteString([0xff])))
    let isSame = members.text.isEqual(to: before)
    expect(!isAdded && isSame)
    var more = TextMembersBuilder(before)
    more.addField("PIN", Secret("y"))
    let last = fields(more).last
    expect(last, is: "PIN 5=y")
  }

  @Test("what is too large for an item isn't added, and what comes after it is")
  func bounds() {
    var item = Item(GenericPassword(service: "s"))
    let long = ByteString([UInt8](repeating: 0x61, count: ItemBounds.attribute))
    let left = item.addFields([("long", long), ("a", "1"), ("long", long), ("b", "2")])
    expect(left, is: ["long", "long"])
    expect(item.fields.map { "\($0.name)=\($0.value)" }, is: ["a=1", "b=2"])
    let fitting = ByteString(Array(long.bytes.dropLast(#"{"a":"1","b":"2","c":""}"#.utf8.count)))
    let fits = [ByteString(fitting.bytes + [0x61]), fitting].map { item.addField("c", $0) }
    expect(fits, is: [false, true])
    expect((try? item.validate()) != nil)
  }

  @Test("twice as many fields take twice as long, and not four times")
  func many() {
    func cost(_ count: Int) -> Int {
      let start = threadTime()
      var members = TextMembersBuilder()
      for number in 0..<count / 2 {
        members.addField(ByteString("field \(number)"), Secret("x"))
        members.addField("same", Secret("x"))
      }
      return threadTime() - start
    }
    _ = cost(100)
    let few = (0..<3).map { _ in cost(400) }.min() ?? 0
    let many = (0..<3).map { _ in cost(3200) }.min() ?? 0
    expect(many < 24 * few)
  }

  /// The processor's time of this thread in nanoseconds, whatever else runs.
  private func threadTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
  }
}
