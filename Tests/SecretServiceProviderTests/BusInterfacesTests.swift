import Expectations
import SecretService
import Testing

@testable import SecretServiceProvider

@Suite("the interfaces on the bus") struct BusInterfacesTests {
  @Test("methods of the same name take the same types, so a call needs no interface")
  func sameNames() {
    var types: [String: Set<String>] = [:]
    for interface in InterfaceDescription.all.values {
      for (method, type) in interface.arguments { types[method, default: []].insert(type) }
    }
    expect(types.filter { $0.value.count > 1 }.isEmpty)
    expect(types["Close"], is: ["()"])
    expect(types["CreateItem"], is: ["(a{sv}(oayays)b)"])
    for (method, all) in types { expect(InterfaceDescription.arguments(of: method, in: nil), is: all.first) }
    expect(InterfaceDescription.arguments(of: "Delete", in: Interface.service), is: nil)
    expect(InterfaceDescription.arguments(of: "Delete", in: "org.example.Other"), is: nil)
  }

  @Test("every method says what the log calls it, and what it waits for")
  func calls() {
    expect(Set(BusCall.all.keys), is: Set(InterfaceDescription.all.values.flatMap(\.arguments.keys)))
  }

  @Test("a property has its type, and can be written if that is said")
  func properties() {
    let properties = InterfaceDescription.all[Interface.item]?.properties ?? []
    expect(
      properties.map { "\($0.name) \($0.type) \($0.isWritable)" },
      is: [
        "Locked b false", "Attributes a{ss} true", "Label s true", "Type s true", "Created t false",
        "Modified t false",
      ])
    expect(InterfaceDescription.all[Interface.session]?.properties.count, is: 0)
  }

  @Test("an interface is shown with everything in it")
  func shown() {
    let text = InterfaceDescription.all[Interface.prompt]?.xml ?? ""
    for part in [
      "<interface name=\"org.freedesktop.Secret.Prompt\">", "<method name=\"Dismiss\">",
      "<signal name=\"Completed\">", "</interface>",
    ] { expect(text.contains(part), "\(part)") }
  }
}
