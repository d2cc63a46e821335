import ArgumentParser

/// How the dates in a table are shown to people.
struct DateOptions: ParsableArguments {
  @Flag(help: "Show dates in UTC, not in local time")
  var utc = false
}
