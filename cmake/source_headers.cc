// Empty: source_headers exists for its precompiled header.
