"""The simulator: a function's tree run on NumPy data under the hardware's rules. Must not use flow's verdicts.

Of `flow` it imports paths and arrival counts alone, so that it stays an independent check of the verifier.
"""
