"""The pipeline IR and the passes that decide how a kernel runs on a target. Must not print C++ (that is `codegen`)."""
