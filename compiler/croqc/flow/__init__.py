"""The credit-flow verifier: paths, arrival counts, accesses, the abstract run, verdicts, and what explains them."""
