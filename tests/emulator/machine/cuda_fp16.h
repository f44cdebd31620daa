// CUDA's header of this name: see narrow_floats.h.
#pragma once
#include "narrow_floats.h"
