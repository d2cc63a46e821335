import Glibc

/// Whether the tests run in their long form, with `LLAVERO_TEST_LONG`: with more seeds, rounds, values and kinds of keychains.
public let isLongForm = getenv("LLAVERO_TEST_LONG") != nil

/// How many rounds a test of random input has: all of them in the long form, and otherwise a quarter.
public func rounds(_ all: Int) -> Int { isLongForm ? all : all / 4 }
