/* SPDX-License-Identifier: Apache-2.0 */
/* PETSc: the Laplace equation on a grid, solved by conjugate gradients with block Jacobi; prints what it
 * found. */
#include <petscksp.h>

enum { kSide = 40 };

static PetscErrorCode fill_matrix(Mat matrix) {
  PetscInt first, last;
  PetscCall(MatGetOwnershipRange(matrix, &first, &last));
  for (PetscInt row = first; row < last; ++row) {
    const PetscInt x = row % kSide, y = row / kSide;
    PetscCall(MatSetValue(matrix, row, row, 4.0, INSERT_VALUES));
    if (x > 0) PetscCall(MatSetValue(matrix, row, row - 1, -1.0, INSERT_VALUES));
    if (x < kSide - 1) PetscCall(MatSetValue(matrix, row, row + 1, -1.0, INSERT_VALUES));
    if (y > 0) PetscCall(MatSetValue(matrix, row, row - kSide, -1.0, INSERT_VALUES));
    if (y < kSide - 1) PetscCall(MatSetValue(matrix, row, row + kSide, -1.0, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY));
  return 0;
}

int main(int argc, char** argv) {
  Mat matrix;
  Vec wanted, right, found;
  KSP solver;
  PetscInt iterations;
  PetscReal error;
  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, kSide * kSide, kSide * kSide, 5, NULL,
                         5, NULL, &matrix));
  PetscCall(fill_matrix(matrix));
  PetscCall(MatCreateVecs(matrix, &wanted, &right));
  PetscCall(VecDuplicate(wanted, &found));
  PetscCall(VecSet(wanted, 1.0));
  PetscCall(MatMult(matrix, wanted, right));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &solver));
  PetscCall(KSPSetType(solver, KSPCG));
  PetscCall(KSPSetOperators(solver, matrix, matrix));
  PetscCall(KSPSetTolerances(solver, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
  PetscCall(KSPSetFromOptions(solver));
  PetscCall(KSPSolve(solver, right, found));
  PetscCall(VecAXPY(found, -1.0, wanted));
  PetscCall(VecNorm(found, NORM_2, &error));
  PetscCall(KSPGetIterationNumber(solver, &iterations));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%d iterations, %s\n", (int)iterations,
                        error < 1e-5 ? "solved" : "wrong"));
  PetscCall(KSPDestroy(&solver));
  PetscCall(VecDestroy(&found));
  PetscCall(VecDestroy(&right));
  PetscCall(VecDestroy(&wanted));
  PetscCall(MatDestroy(&matrix));
  PetscCall(PetscFinalize());
  return 0;
}
