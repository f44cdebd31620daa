"""What a run is, as pure data: sizes, inputs, the evaluator, comparison, results. Must not run a kernel."""
