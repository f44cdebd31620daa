// The program around a unit: reads a job, runs its launches under one order, and writes the arrays. `FOLDER
// SEED OUT`.
//
// The job is FOLDER/job, words between spaces, written by `emulator.py`:
//   array NAME BYTES GIVEN            GIVEN 1: FOLDER/NAME.in has the contents, else zeros
//   launch KERNEL X Y Z THREADS SHARED ARGUMENTS SAYS     and then so many of
//     pointer NAME
//     map NAME RANK SWIZZLE EXTENTS BOX STRIDES           RANK numbers each
//     value HEX                       the bytes of a scalar
//   end SAYS                          SAYS: what the host prints, in hexadecimal behind an x
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "entry.h"
#include "faults.h"
#include "memory.h"
#include "scheduler.h"
#include "tma.h"

namespace emu {
namespace {

struct alignas(64) Argument {
  unsigned char bytes[128];
};

std::string unhex(const std::string& text) {
  std::string found;
  for (size_t at = 0; at + 1 < text.size(); at += 2)
    found += char(std::stoi(text.substr(at, 2), nullptr, 16));
  return found;
}

class Job {
 public:
  explicit Job(std::string folder) : folder_(std::move(folder)), in_(folder_ + "/job") {}

  void run() {
    std::string word;
    while (in_ >> word && word != "end") {
      if (word == "array")
        array();
      else if (word == "launch")
        launch();
      else
        fault("a job with the word %s", word.c_str());
    }
    says();
    fflush(stdout);
  }

  void write(const std::string& out) const {
    for (const auto& [name, array] : arrays_) {
      if (!array.intact()) fault("something was written in front of or behind the array %s", name.c_str());
      std::ofstream file(out + "/" + name + ".out", std::ios::binary);
      file.write(reinterpret_cast<const char*>(array.bytes()), long(array.size()));
    }
  }

 private:
  void array() {
    std::string name;
    size_t size;
    int given;
    in_ >> name >> size >> given;
    const Guarded& made = arrays_.emplace(name, size).first->second;
    if (given)
      std::ifstream(folder_ + "/" + name + ".in", std::ios::binary)
          .read(reinterpret_cast<char*>(made.bytes()), long(size));
  }

  void launch() {
    std::string name;
    Index grid;
    int threads, count;
    unsigned shared;
    in_ >> name >> grid.x >> grid.y >> grid.z >> threads >> shared >> count;
    says();
    std::vector<Argument> values(count);
    std::vector<void*> places(count);
    for (int number = 0; number < count; ++number) {
      argument(values[number]);
      places[number] = values[number].bytes;
    }
    const Entry* entry = entries;
    while (entry->name && name != entry->name) ++entry;
    if (!entry->name) fault("there is no kernel %s", name.c_str());
    if (entry->parameters != count)
      fault("%d arguments for the %d parameters of %s", count, entry->parameters, name.c_str());
    run_blocks([&] { entry->run(places.data()); }, grid, threads, shared, entry->cluster);
  }

  void argument(Argument& to) {
    std::string kind, text;
    in_ >> kind >> text;
    if (kind == "value") {
      const std::string bytes = unhex(text);
      memcpy(to.bytes, bytes.data(), bytes.size());
      return;
    }
    unsigned char* start = arrays_.at(text).bytes();
    if (kind == "pointer") {
      memcpy(to.bytes, &start, sizeof start);
      return;
    }
    Map map = {};
    map.array = start;
    in_ >> map.rank >> map.swizzle;
    for (unsigned i = 0; i < map.rank; ++i) in_ >> map.extents[i];
    for (unsigned i = 0; i < map.rank; ++i) in_ >> map.box[i];
    for (unsigned i = 0; i < map.rank; ++i) in_ >> map.strides[i];
    check_map(map);
    memcpy(to.bytes, &map, sizeof map);
  }

  void says() {
    std::string text;
    in_ >> text;
    const std::string words = unhex(text.substr(1));
    fwrite(words.data(), 1, words.size(), stdout);
  }

  std::string folder_;
  std::ifstream in_;
  std::map<std::string, Guarded> arrays_;
};

}  // namespace
}  // namespace emu

int main(int, char** words) {
  emu::catch_signals();
  emu::choose_order(unsigned(std::stoul(words[2])));
  emu::Job job(words[1]);
  job.run();
  job.write(words[3]);
}
