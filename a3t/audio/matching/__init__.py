"""Matching a patch to its recording: bandwidth, spectrum, reverberation."""
