"""Where kernels run. One engine for now: `sim`, the simulator. Must not judge results (see `runs` and `service`)."""
