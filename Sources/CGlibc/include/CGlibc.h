// Nothing to call: what libraries that are linked in need of glibc newer than 2.34, so that the companions start wherever
// that is.
