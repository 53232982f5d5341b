/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators of every make, their topologies and attributes, and what callbacks are told. */
/* ranks 4 */
#include "../check.h"

/* A communicator seen from this rank: size, rank, kind, and that messages pass. */
static void describe(const char* name, MPI_Comm comm, int size, int rank, int inter) {
  if (comm == MPI_COMM_NULL) {
    see(name, size == 0, "null");
    return;
  }
  int found_size = -1, found_rank = -1, found_inter = -1, remote = -1, topology = -1, sum = -1, relation = -1;
  MPI_Comm_size(comm, &found_size);
  MPI_Comm_rank(comm, &found_rank);
  MPI_Comm_test_inter(comm, &found_inter);
  if (found_inter) MPI_Comm_remote_size(comm, &remote);
  MPI_Topo_test(comm, &topology);
  const int code = MPI_Allreduce(&my_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  if (!found_inter) MPI_Comm_compare(comm, MPI_COMM_WORLD, &relation);
  see(name, code == MPI_SUCCESS && found_size == size && found_rank == rank && found_inter == inter,
      "size=%d rank=%d inter=%d remote=%d topology=%d sum=%d relation=%d", found_size, found_rank,
      found_inter, remote, topology, sum, relation);
}

static int copies, deletes;
static MPI_Comm copied_from;

static int on_copy(MPI_Comm from, int key, void* extra, void* in, void* out, int* flag) {
  (void)key;
  ++copies;
  copied_from = from;
  *(void**)out = (char*)in + 1;
  *flag = *(int*)extra;
  return MPI_SUCCESS;
}

static int on_delete(MPI_Comm comm, int key, void* value, void* extra) {
  (void)comm, (void)key, (void)extra;
  deletes += (int)(size_t)value;
  return MPI_SUCCESS;
}

static void attributes(void) {
  for (int keep = 0; keep < 2; ++keep) {
    int key, flag = -1;
    void* value = NULL;
    MPI_Comm copy;
    MPI_Request request;
    copies = deletes = 0;
    MPI_Comm_create_keyval(on_copy, on_delete, &key, &keep);
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, (void*)10);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    see(text("attribute/dup/%d", keep),
        copies == 1 && copied_from == MPI_COMM_WORLD && flag == keep && (!keep || value == (void*)11),
        "copies=%d flag=%d value=%d", copies, flag, flag ? (int)(size_t)value : -1);
    MPI_Comm_free(&copy);
    see(text("attribute/free/%d", keep), deletes == 11 * keep, "deletes=%d", deletes);
    MPI_Comm_idup(MPI_COMM_WORLD, &copy, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_get_attr(copy, key, &value, &flag);
    see(text("attribute/idup/%d", keep), copies == 2 && flag == keep, "copies=%d flag=%d", copies, flag);
    MPI_Comm_free(&copy);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    see(text("attribute/delete/%d", keep), deletes == 22 * keep + 10, "deletes=%d", deletes);
    MPI_Comm_free_keyval(&key);
    see(text("attribute/key/%d", keep), key == MPI_KEYVAL_INVALID, "%d", key == MPI_KEYVAL_INVALID);
  }
  int* bound = NULL;
  int flag = 0;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &bound, &flag);
  see("attribute/tag_ub", flag && *bound >= 32767, "%d", *bound);
}

/* A copy callback that fails makes MPI_Comm_dup fail. */
static int refuse(MPI_Comm from, int key, void* extra, void* in, void* out, int* flag) {
  (void)from, (void)key, (void)extra, (void)in, (void)out;
  *flag = 0;
  return MPI_ERR_OTHER;
}

static void refused_copy(void) {
  int key;
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_create_keyval(refuse, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
  const int code = MPI_Comm_dup(MPI_COMM_SELF, &copy);
  see("dup/refused", code != MPI_SUCCESS, "%s", error_name(code));
  MPI_Comm_delete_attr(MPI_COMM_SELF, key);
  MPI_Comm_free_keyval(&key);
}

static void constructors(void) {
  MPI_Comm made;
  MPI_Group world, some;
  MPI_Info info;
  const int chosen[2] = {3, 1};
  MPI_Comm_dup(MPI_COMM_WORLD, &made);
  describe("dup", made, 4, my_rank, 0);
  MPI_Comm_free(&made);
  see("free", made == MPI_COMM_NULL, "%d", made == MPI_COMM_NULL);
  MPI_Info_create(&info);
  MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &made);
  describe("dup_with_info", made, 4, my_rank, 0);
  MPI_Comm_free(&made);
  MPI_Info_free(&info);
  MPI_Comm_split(MPI_COMM_WORLD, my_rank % 2, -my_rank, &made);
  describe("split", made, 2, my_rank < 2, 0);
  MPI_Comm_free(&made);
  MPI_Comm_split(MPI_COMM_WORLD, my_rank == 2 ? MPI_UNDEFINED : 5, 0, &made);
  describe("split/undefined", made, my_rank == 2 ? 0 : 3, my_rank - (my_rank > 2), 0);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made);
  describe("split_type", made, 4, my_rank, 0);
  MPI_Comm_free(&made);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, chosen, &some);
  MPI_Comm_create(MPI_COMM_WORLD, some, &made);
  describe("create", made, my_rank % 2 ? 2 : 0, my_rank == 1, 0);
  if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
  if (my_rank % 2) {
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 17, &made);
    describe("create_group", made, 2, my_rank == 1, 0);
    MPI_Comm_free(&made);
  }
  const int code = MPI_Comm_create(MPI_COMM_WORLD, MPI_GROUP_EMPTY, &made);
  see("create/empty", code == MPI_SUCCESS && made == MPI_COMM_NULL, "%s %d", error_name(code),
      made == MPI_COMM_NULL);
  MPI_Group_free(&some);
  MPI_Group_free(&world);
  see("group/free", world == MPI_GROUP_NULL, "%d", world == MPI_GROUP_NULL);
}

/* The handle of MPI_Comm_idup counts only when its request is complete; messages overtake it. */
static void later_copy(void) {
  MPI_Comm copies_made[3];
  MPI_Request requests[3];
  for (int i = 0; i < 3; ++i)
    MPI_Comm_idup(i < 2 ? MPI_COMM_WORLD : MPI_COMM_SELF, &copies_made[i], &requests[i]);
  int sum = 0;
  MPI_Allreduce(&my_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  see("idup/between", sum == 6, "%d", sum);
  const int code = MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  see("idup/wait", code == MPI_SUCCESS && requests[2] == MPI_REQUEST_NULL, "%s", error_name(code));
  for (int i = 0; i < 3; ++i) {
    describe(text("idup/%d", i), copies_made[i], i < 2 ? 4 : 1, i < 2 ? my_rank : 0, 0);
    MPI_Comm_free(&copies_made[i]);
  }
}

static void between_groups(void) {
  MPI_Comm half, inter, merged, copy;
  MPI_Status status;
  int in = -1;
  MPI_Comm_split(MPI_COMM_WORLD, my_rank < 2, my_rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, my_rank < 2 ? 2 : 0, 11, &inter);
  describe("inter", inter, 2, my_rank % 2, 1);
  blank(&status);
  int code =
      MPI_Sendrecv(&my_rank, 1, MPI_INT, my_rank % 2, 1, &in, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, &status);
  see("inter/sendrecv",
      code == MPI_SUCCESS && in == (my_rank + 2) % 4 && is_from(&status, my_rank % 2, 1, MPI_INT, 1),
      "%s %d %s", error_name(code), in, full_status(&status, MPI_INT));
  int value = my_rank == 1 ? 77 : -1;
  const int root = my_rank == 1 ? MPI_ROOT : my_rank == 0 ? MPI_PROC_NULL : 1;
  code = MPI_Bcast(&value, 1, MPI_INT, root, inter);
  see("inter/bcast", code == MPI_SUCCESS && value == (my_rank == 0 ? -1 : 77), "%s %d", error_name(code),
      value);
  MPI_Comm_dup(inter, &copy);
  MPI_Comm_free(&half); /* the inter-communicator lives on */
  MPI_Comm_free(&inter);
  describe("inter/dup", copy, 2, my_rank % 2, 1);
  MPI_Intercomm_merge(copy, my_rank < 2, &merged);
  describe("inter/merge", merged, 4, (my_rank + 2) % 4, 0);
  MPI_Comm_split(copy, my_rank % 2, 0, &inter);
  describe("inter/split", inter, 1, 0, 1);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&merged);
  MPI_Comm_free(&copy);
}

static void topologies(void) {
  MPI_Comm grid, row, graph;
  int dims[2] = {2, 2}, periods[2] = {1, 0}, coords[2] = {-1, -1}, source = -9, target = -9, keep[2] = {0, 1};
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  describe("cart", grid, 4, my_rank, 0);
  MPI_Cart_coords(grid, my_rank, 2, coords);
  see("cart/coords", coords[0] == my_rank / 2 && coords[1] == my_rank % 2, "%d %d", coords[0], coords[1]);
  MPI_Cart_shift(grid, 1, 1, &source, &target);
  see("cart/shift", source == (my_rank % 2 ? my_rank - 1 : MPI_PROC_NULL), "%d %d", source, target);
  int in[4] = {-1, -1, -1, -1};
  const int code = MPI_Neighbor_allgather(&my_rank, 1, MPI_INT, in, 1, MPI_INT, grid);
  see("cart/allgather", code == MPI_SUCCESS && in[0] == (my_rank + 2) % 4, "%s %d %d %d %d", error_name(code),
      in[0], in[1], in[2], in[3]);
  MPI_Cart_sub(grid, keep, &row);
  describe("cart/sub", row, 2, my_rank % 2, 0);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  dims[0] = 3, dims[1] = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  describe("cart/part", grid, my_rank < 3 ? 3 : 0, my_rank, 0);
  if (grid != MPI_COMM_NULL) MPI_Comm_free(&grid);
  const int index[4] = {1, 3, 5, 6}, edges[6] = {1, 0, 2, 1, 3, 2};
  MPI_Graph_create(MPI_COMM_WORLD, 4, index, edges, 0, &graph);
  describe("graph", graph, 4, my_rank, 0);
  MPI_Comm_free(&graph);
  /* A ring with a double edge to the next. */
  int next[2] = {(my_rank + 1) % 4, (my_rank + 1) % 4}, previous[2] = {(my_rank + 3) % 4, (my_rank + 3) % 4};
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, previous, MPI_UNWEIGHTED, 2, next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  describe("dist_graph", graph, 4, my_rank, 0);
  const int out[2] = {10 * my_rank, 10 * my_rank + 1};
  MPI_Request request;
  /* Which of the two comes first differs between the libraries. */
  MPI_Ineighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, graph, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  see("dist_graph/alltoall", in[0] + in[1] == 20 * previous[0] + 1, "%d %d", in[0], in[1]);
  MPI_Comm_free(&graph);
}

/* Handles come back after a free: each life is its own. */
static void many_lives(void) {
  int right = 1;
  for (int i = 0; i < 40; ++i) {
    MPI_Comm made;
    int size = -1, sum = -1;
    MPI_Comm_split(MPI_COMM_WORLD, my_rank % (1 + i % 3), 0, &made);
    MPI_Comm_size(made, &size);
    MPI_Allreduce(&size, &sum, 1, MPI_INT, MPI_SUM, made);
    right = right && sum == size * size;
    MPI_Comm_free(&made);
  }
  see("lives", right, "%d", right);
}

int main(int argc, char** argv) {
  start_checks(&argc, &argv);
  constructors();
  later_copy();
  between_groups();
  topologies();
  attributes();
  refused_copy();
  many_lives();
  return end_checks();
}
