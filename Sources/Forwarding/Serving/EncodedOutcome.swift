package import Bytes
import Keychain

extension ForwardingService.Outcome {
  /// The outcome as text, for the agent: `response` and the response, `ask` and the question, or `hidden`.
  package var encoded: Secret {
    var text = Secret(capacity: 1024)
    switch self {
    case .response(let response):
      text.append("response\n")
      text.append(response.encoded)
    case .asks(let question):
      text.append("ask\n")
      text.append(question.encoded)
    case .hidden: text.append("hidden\n")
    }
    return text
  }

  /// Parses text from ``encoded``; `nil` for anything else, as from a program that has failed.
  package init?(parsing text: UnsafeRawBufferPointer) {
    if text == "hidden\n" {
      self = .hidden
      return
    }
    for mark in ["response\n", "ask\n"] as [StaticString] where text.starts(with: mark) {
      let rest = text.part(mark.utf8CodeUnitCount, text.count - mark.utf8CodeUnitCount)
      if mark.utf8CodeUnitCount == 4 {
        guard let question = try? ForwardingService.Question(parsing: rest) else { return nil }
        self = .asks(question)
      } else {
        guard let response = try? ForwardResponse(parsing: rest) else { return nil }
        self = .response(response)
      }
      return
    }
    return nil
  }
}

extension ForwardingService.Question {
  package var encoded: Secret {
    var json = JSONWriter()
    json.beginObject()
    json.member("right", ByteString(right.rawValue))
    json.member("item", item: item)
    json.endObject()
    return json.finish()
  }

  /// - Throws: ``ForwardingWork/Malformed``.
  package init(parsing text: UnsafeRawBufferPointer) throws(ForwardingWork.Malformed) {
    var item: Item?
    var right: ByteString?
    do throws(JSONReader.Malformed) {
      try JSONReader.members(of: text) { (name, value) throws(JSONReader.Malformed) in
        if name == "item" {
          item = try Item(json: value)
        } else if name == "right" {
          right = try value.string()
        }
      }
    } catch {
      throw ForwardingWork.Malformed()
    }
    guard let item, let right = right?.text.flatMap(ForwardingRight.init(rawValue:)) else {
      throw ForwardingWork.Malformed()
    }
    self.init(item, right)
  }
}
