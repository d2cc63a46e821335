/// The tools that stay set up when one is removed. Some share a link, a folder, or even a file.
struct OtherSetups {
  private let tools: [ToolSetup]
  private let place: SetupPlace

  init(_ tools: [ToolSetup], _ place: SetupPlace) {
    self.tools = tools
    self.place = place
  }

  /// A tool that finds llavero by this link. If that is unclear, it counts as one.
  ///
  /// - Parameter files: the files that llavero is taken out of before. A tool that was not set up, and reads only
  ///   these, finds nothing there afterwards.
  func needing(link path: String, without files: [String]) -> String? {
    tools.first { tool in
      guard let links = try? tool.links(place), links.contains(where: { "\($0.folder)/\($0.name)" == path })
      else {
        return false
      }
      guard let record = try? SetupRecord.read(tool.name) else { return true }
      if !record.isEmpty, !record.isHandedOver { return true }
      let own = (try? tool.settings(place))?.map(\.file.path) ?? []
      if !own.isEmpty, own.allSatisfy(files.contains) { return false }
      let state = SetupState(of: tool, place)
      return state.isSetUp || state.fault != nil
    }?.name
  }

  /// Whether llavero has made one of these links for one of the tools.
  func haveMade(links paths: [String]) -> Bool {
    tools.contains { tool in
      (try? SetupRecord.read(tool.name))?.links.contains(where: paths.contains) ?? false
    }
  }

  /// The tools that were left with this link, and have nothing else of llavero.
  func leftWith(link path: String) -> [(tool: String, record: SetupRecord)] {
    tools.compactMap { tool in
      guard let record = try? SetupRecord.read(tool.name), record.isHandedOver, record.links.contains(path)
      else {
        return nil
      }
      return (tool.name, record)
    }
  }

  /// A tool for which llavero has made or changed something below a folder.
  func having(below folder: String) -> String? {
    tools.first { (try? SetupRecord.read($0.name))?.hasSomething(below: folder) ?? false }?.name
  }

  func haveChanged(file path: String) -> Bool {
    tools.contains { tool in
      (try? SetupRecord.read(tool.name))?.changes.contains { $0.path == path } ?? false
    }
  }
}
