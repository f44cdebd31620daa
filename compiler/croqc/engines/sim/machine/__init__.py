"""The simulated machine: memory, views, swizzle, barriers, scheduler. Must not know the tree of a program."""
