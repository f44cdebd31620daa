"""The passes over the pipeline IR, one a file; their order and its reasons stand in `croqc.pipe.pipeline`."""
