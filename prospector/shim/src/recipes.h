// SPDX-License-Identifier: Apache-2.0
// What the generated wrappers do: all function templates that formats/mpi/recipes.py names. `real` calls the
// library's function; a recipe takes the times around it, and logs what the call meant if it succeeded.
#pragma once

#include "collective_recipes.h"
#include "comm_recipes.h"
#include "completion.h"
#include "file_recipes.h"
#include "life_recipes.h"
#include "partitioned_recipes.h"
#include "point_to_point.h"
#include "probe_recipes.h"
#include "rma_recipes.h"
