"""Where kernels run: `sim`, the simulator, `gpu`, an NVIDIA card. Must not judge results (see `runs`, `service`)."""
