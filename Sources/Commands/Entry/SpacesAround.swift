extension String {
  /// The text without white space at both ends, such as a line end that was pasted with it.
  var withoutSpacesAround: String {
    String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
