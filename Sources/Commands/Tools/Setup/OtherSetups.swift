/// The tools that stay set up when one is given back. Some share a link, a folder, or even a file.
struct OtherSetups {
  private let tools: [ToolSetup]
  private let place: SetupPlace

  /// - Parameter tools: the tools that stay.
  init(_ tools: [ToolSetup], _ place: SetupPlace) {
    self.tools = tools
    self.place = place
  }

  /// A tool that finds llavero by this link; `nil` if there is none. Where that can't be told, it counts as one.
  func needing(link path: String) -> String? {
    tools.first { tool in
      guard let links = try? tool.links(place), links.contains(where: { "\($0.folder)/\($0.name)" == path })
      else {
        return false
      }
      if (try? SetupRecord.read(tool.name).isEmpty) != true { return true }
      let state = SetupState(of: tool, place)
      return state.isSetUp || state.fault != nil
    }?.name
  }

  /// A tool for which llavero has made or changed something below a folder; `nil` if there is none.
  func having(below folder: String) -> String? {
    tools.first { (try? SetupRecord.read($0.name))?.hasSomething(below: folder) ?? false }?.name
  }

  /// Whether llavero has changed this file for one of the tools.
  func haveChanged(file path: String) -> Bool {
    tools.contains { tool in
      (try? SetupRecord.read(tool.name))?.changes.contains { $0.path == path } ?? false
    }
  }
}
