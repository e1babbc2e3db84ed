// Nothing: the program it belongs to has the precompiled headers of all tests.
