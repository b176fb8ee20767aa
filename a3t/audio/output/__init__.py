"""Writing edited recordings: patches, files that appear whole, metadata and provenance."""
