"""The Croqtile compiler: reading, analysing, simulating and explaining `.co` files."""

__version__ = "0.1.0"
