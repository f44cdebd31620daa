"""Meaning: names, types, symbolic shapes, levels, storage. Must not word messages, run kernels or touch files."""
