"""From an analysed function to the pipeline IR: one file a family of constructs. Must not decide for a target."""
