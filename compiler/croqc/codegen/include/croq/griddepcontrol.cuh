// Launches of a stream that overlap at their ends (PTX ISA, griddepcontrol): without the launch attribute for programmatic
// dependents it does nothing.
namespace croq {

// Until all launches in front are complete, and what they have written is seen.
__device__ __forceinline__ void griddepcontrol_wait() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

}  // namespace croq
