import Glibc

/// Whether the tests run in their long form, with `LLAVERO_TEST_LONG`: what is random has more seeds and more rounds then.
public let isLongForm = getenv("LLAVERO_TEST_LONG") != nil
