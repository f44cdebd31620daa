// What each modelled unit of the hardware registers with the scheduler. Not for kernels.
#pragma once

namespace emu {

// One object a unit, which lives as long as the process.
class Part {
 public:
  Part();
  virtual void begin() {}                // the blocks of a cluster begin: nothing is left of those before
  virtual void exits() {}                // the current thread ends
  virtual bool late() { return false; }  // whether effects are still to come that no thread brings about
  virtual void land() {}                 // one of them comes
  virtual void end() {}                  // all threads have ended: faults where something was left open

 protected:
  ~Part() = default;
};

// Pseudo-random, from the seed of the run.
unsigned random_below(unsigned count);

}  // namespace emu
