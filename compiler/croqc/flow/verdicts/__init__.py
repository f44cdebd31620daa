"""From faults of runs to findings: one fault, one finding, with its story (credit-flow, section 4)."""
