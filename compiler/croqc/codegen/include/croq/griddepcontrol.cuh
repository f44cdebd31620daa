// Launches of a stream that overlap at their ends (PTX ISA, griddepcontrol): without the launch attribute for programmatic
// dependents both do nothing.
namespace croq {

// Until all launches in front are complete, and what they have written is seen.
__device__ __forceinline__ void griddepcontrol_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// The next launch may start on what the card has left, as soon as all blocks have come here or to their end.
__device__ __forceinline__ void griddepcontrol_launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}

}  // namespace croq
