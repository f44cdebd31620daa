"""The credit-flow model: paths, arrival counts, and (later) accesses, the abstract run, verdicts."""
