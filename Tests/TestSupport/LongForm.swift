import Glibc

/// Whether the tests run in their long form, with `LLAVERO_TEST_LONG`: with more seeds, rounds, values and kinds of keychains.
public let isLongForm = getenv("LLAVERO_TEST_LONG") != nil
