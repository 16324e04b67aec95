package enum TestSupport {}
