// hilo gemm and hilo solve as several processes of mpirun, and as one with --distributed.
#include "cli_program.hpp"
#include "data/matrix.hpp"
#include "same_bits.hpp"

namespace hilo {
namespace {

using test::Outcome;
using test::Program;

#if HILO_HAS_DISTRIBUTED

class Ranks : public Program {
 protected:
  // Of one rank there is no mpirun.
  Outcome on(int ranks, const std::string& arguments) {
    if (ranks == 1) return hilo(arguments + " --distributed");
    return hilo(arguments, HILO_MPIEXEC " " + std::to_string(ranks));
  }

  // mpirun's own words stand on standard error besides.
  void expect_failure(const Outcome& run, int code, const std::string& words) {
    EXPECT_EQ(run.code, code) << run.err;
    EXPECT_EQ(run.out, "");
    const std::size_t at = run.err.find("hilo: ");
    ASSERT_NE(at, std::string::npos) << run.err;
    EXPECT_EQ(run.err.find("hilo: ", at + 1), std::string::npos) << run.err;
    EXPECT_NE(run.err.find(words, at), std::string::npos) << run.err;
  }

  template <class T>
  data::Matrix<T> matrix(const std::string& name) {
    return data::read_matrix<T>(folder.file(name), Layout::column);
  }
};

nlohmann::json printed(const Outcome& run) {
  EXPECT_EQ(run.code, 0) << run.err;
  return nlohmann::json::parse(run.out);
}

TEST_F(Ranks, MultiplyFilesToTheSameBits) {
  ASSERT_EQ(hilo("gemm -m 21 -n 30 -k 5 --seed 2 --layout row -o a.npy").code, 0);
  ASSERT_EQ(hilo("gemm -m 17 -n 30 -k 5 --seed 3 -o b.mtx").code, 0);
  ASSERT_EQ(hilo("gemm -m 21 -n 17 -k 5 --precision d --seed 4 -o c.npy").code, 0);
  const std::string product =
      "gemm a.npy b.mtx --transb T --c c.npy --beta 0.5 --alpha -2 --tile 6 --repeat 1 --warmup 0 -o ";
  EXPECT_EQ(on(1, product + "one.npy").code, 0);
  const auto result = printed(on(2, product + "two.npy --verify --json"));
  EXPECT_EQ(result["ranks"], 2);
  EXPECT_EQ(result["grid"], nlohmann::json({1, 2}));
  EXPECT_EQ(result["verified"], true);
  // (8 · 6 + 16) u² for a tile's product at the most, in each of 5 steps and once more.
  EXPECT_GT(result["error_bound_u2"], 0);
  EXPECT_LE(result["error_bound_u2"], 6 * (8 * 6 + 16));
  EXPECT_EQ(result["entries_checked"], 256);
  // A's entries, each of which the other rank needs, and of Bᵀ those that are not where C's column is.
  EXPECT_GE(result["bytes_moved"], 21 * 30 * 16);
  EXPECT_EQ(on(4, product + "four.npy --quiet").code, 0);
  EXPECT_EQ(folder.read("two.npy"), folder.read("one.npy"));
  EXPECT_EQ(folder.read("four.npy"), folder.read("one.npy"));
  // It is the product of one process, but for the order of its sums; by rows, and as text.
  EXPECT_EQ(on(1, "gemm a.npy b.mtx --transb T --c c.npy --beta 0.5 --alpha -2 --tile 6 --layout row -o rows.npy").code,
            0);
  EXPECT_EQ(on(1, "gemm a.npy b.mtx --transb T --c c.npy --beta 0.5 --alpha -2 --tile 6 -o text.mtx").code, 0);
  const auto one = matrix<dd_real>("one.npy");
  EXPECT_EQ(test::first_difference(matrix<dd_real>("rows.npy").entries, one.entries), -1);
  EXPECT_EQ(test::first_difference(matrix<dd_real>("text.mtx").entries, one.entries), -1);
}

TEST_F(Ranks, MultiplyWhatOneProcessGenerates) {
  // Tiles that are the whole: one task, with the bits of the call.
  const std::string product = "gemm -m 9 -n 7 -k 8 --precision zdd --init range:2 --beta 1 --engine reproducible";
  ASSERT_EQ(hilo(product + " -o process.npy").code, 0);
  EXPECT_EQ(on(2, product + " --tile 9 -o ranks.npy").code, 0);
  EXPECT_EQ(folder.read("ranks.npy"), folder.read("process.npy"));
}

TEST_F(Ranks, SolveToTheSameBits) {
  for (const std::string kind : {"", " --spd"}) {
    const std::string system = "solve -n 15 --nrhs 3 --accuracy backward --tile 6" + kind + " -o ";
    EXPECT_EQ(on(1, system + "one.npy").code, 0);
    const int ranks = kind.empty() ? 2 : 4;
    const auto result = printed(on(ranks, system + "several.npy --json"));
    EXPECT_EQ(result["solved"], true);
    EXPECT_LE(result["backward_error_u2"], 25);
    EXPECT_EQ(result["cpu_workers"], ranks);
    EXPECT_EQ(folder.read("several.npy"), folder.read("one.npy"));
    // Of the same system, to full accuracy.
    ASSERT_EQ(hilo("solve -n 15 --nrhs 3" + kind + " -o exact.npy").code, 0);
    const auto x = matrix<dd_real>("several.npy"), exact = matrix<dd_real>("exact.npy");
    for (std::size_t i = 0; i < x.entries.size(); ++i) {
      EXPECT_LE(std::fabs((x.entries[i] - exact.entries[i]).hi), 1e-26);
      EXPECT_NE(exact.entries[i].hi, 0.0);
    }
  }
}

TEST_F(Ranks, GoOnFromACheckpoint) {
  const std::string system = "solve -n 25 --accuracy backward --tile 6 --checkpoint kept --checkpoint-every 2 -o ";
  EXPECT_EQ(on(2, system + "two.npy").code, 0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("kept/step-4/COMMIT")));
  EXPECT_EQ(on(1, system + "one.npy").code, 0);
  EXPECT_EQ(folder.read("two.npy"), folder.read("one.npy"));
  expect_failure(on(1, system + "three.npy --seed 2"), 2, "step-4/COMMIT: is of a matrix with other elements");
}

TEST_F(Ranks, TellOfBadInputOnce) {
  const std::string of_two = "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=";
  expect_error("eig -n 5", 2, "hilo: mpirun has started 2 processes, and hilo eig is one process", of_two + "0");
  const Outcome other = hilo("eig -n 5", of_two + "1");
  EXPECT_EQ(other.code, 2);
  EXPECT_EQ(other.out + other.err, "");
  ASSERT_EQ(hilo("gemm -m 3 -n 2 -k 4 -o a.npy").code, 0);
  folder.write("nan.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\nnan\n");
  folder.write("s.mtx", "%%MatrixMarket matrix array real general\n3 3\n4\n1\n0\n1\n4\n2\n0\n1\n4\n");
  folder.write("singular.mtx", "%%MatrixMarket matrix array real general\n2 2\n1\n1\n1\n1\n");
  folder.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  folder.write("b3.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n1\n1\n");
  const auto one = [&](const std::string& arguments, const std::string& words) {
    SCOPED_TRACE(arguments);
    expect_failure(on(1, arguments), 2, words);
  };
  one("gemm -n 5 --devices all", "--devices: not over ranks of an MPI job; STARPU_NCPU and STARPU_NOPENCL say what");
  one("gemm -n 5 --device-memory 1M", "--device-memory: not over ranks of an MPI job");
  one("gemm -n 5 --build-options -DX", "--build-options: not over ranks of an MPI job");
  one("gemm no.npy b.npy", "hilo: rank 0: no.npy: cannot be opened: No such file or directory");
  one("gemm -n 5 --grid 3,1", "hilo: --grid 3,1 is not one of 1 rank");
  one("gemm a.npy a.npy", "a.npy is 3 x 2, a.npy is 3 x 2: op(A) has 2 columns, op(B) 3 rows; they must be equal");
  one("gemm -n 5 --precision s", "--precision s: not over ranks of an MPI job; there are d, z, dd and zdd");
  one("gemm -n 5 --verify=full", "--verify=full: not over ranks");
  one("gemm -n 5 --accuracy exact", "--accuracy exact: not over ranks");
  one("gemm -n 5 --backend opencl", "--backend opencl: not over ranks");
  one("gemm -n 5 --timing", "--timing: not over ranks");
  one("gemm -n 5 --tile 0", "--tile 0 is less than 1");
  one("gemm -n 5 --grid 2", "--grid '2': rows and columns of ranks were expected, such as 2,4");
  one("gemm -n 5 --grid 0,2", "--grid 0 is less than 1");
  one("gemm -n 5 --time-limit x", "--time-limit 'x' is not a number of at least 0");
  one("solve -n 5", "--accuracy full: not over ranks of an MPI job; --accuracy backward asks for what there is");
  one("solve -n 5 --accuracy backward --symmetric", "--symmetric: not over ranks");
  one("solve -n 5 --accuracy backward --certify", "--certify: not over ranks");
  one("solve -n 5 --accuracy backward --factors double", "--factors double: not over ranks");
  one("solve -n 5 --accuracy backward --verify", "--verify: not over ranks");
  one("solve -n 5 --accuracy backward --checkpoint-every 3", "--checkpoint-every 3 needs --checkpoint");
  one("solve -n 5 --accuracy backward --checkpoint d --repeat 2", "--checkpoint and --repeat 2");
  one("solve a.npy b.mtx --accuracy backward", "a.npy is 3 x 2; the matrix of a system is square");
  one("solve s.mtx b3.mtx --spd --accuracy backward --tile 2",
      "s.mtx is not symmetric: entry (3, 2) is not entry (2, 3)");
  expect_failure(on(1, "gemm -n 1000000 --precision d"), 4,
                 "hilo: rank 0: no memory for its tiles of A of 1000000 x 1000000, B of 1000000 x 1000000, C of");
  // Where MPI alone tells how many there are.
  const std::string without_sizes = HILO_MPIEXEC " 2 env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE";
  expect_failure(hilo("gemm no.npy b.npy --distributed", without_sizes), 2, "hilo: rank 0: no.npy: cannot be opened");
  Outcome run = on(1, "solve singular.mtx b.mtx --accuracy backward -o x.npy");
  EXPECT_EQ(run.code, 1);
  EXPECT_NE(run.err.find("hilo: A is singular: after 1 row of LU all pivots of the next column are zero; x.npy was not "
                         "written"),
            std::string::npos)
      << run.err;
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.npy")));
}

TEST_F(Ranks, TellWhichOfThemFailedAndLeaveNothing) {
  ASSERT_EQ(hilo("gemm -n 40 -o a.npy").code, 0);
  const std::string product = "gemm a.npy a.npy --tile 8 --repeat 1 --warmup 0 -o c.npy";
  // Rank 1 may not write as much.
  script("limited.sh", "ulimit -f 8\nexec " HILO_PROGRAM_FILE " " + product + "\n");
  const std::ptrdiff_t files = folder.count();
  expect_failure(hilo(product + " : -n 1 ./limited.sh", HILO_MPIEXEC " 1"), 2,
                 "hilo: rank 1: c.npy: cannot be written: File too large");
  EXPECT_EQ(folder.count(), files);
  // It is killed.
  script("killed.sh",
         HILO_PROGRAM_FILE " gemm -n 2000 --precision d --tile 32 -o c.npy & sleep 0.5; kill -9 $!; wait $!\n");
  const Outcome run = hilo("gemm -n 2000 --precision d --tile 32 -o c.npy : -n 1 ./killed.sh", HILO_MPIEXEC " 1");
  EXPECT_NE(run.code, 0);
  EXPECT_EQ(run.out, "");
  EXPECT_FALSE(std::filesystem::exists(folder.file("c.npy")));
}

TEST_F(Ranks, HaveTheGridAndTheWorkersThatAreAskedFor) {
  const auto result = printed(on(2, "gemm -n 8 --tile 2 --grid 2,1 --threads 1 --backend cpu --time-limit 60 --json"));
  EXPECT_EQ(result["grid"], nlohmann::json({2, 1}));
  EXPECT_EQ(result["tile"], 2);
  EXPECT_EQ(result["opencl_devices"], 0);
  // A's tiles stay where C's are, and those of B go to the other row.
  EXPECT_EQ(result["bytes_moved"], 8 * 8 * 16);
  EXPECT_EQ(result["messages"], 16);
}

// What is guaranteed of it depends on each tile's entries.
TEST_F(Ranks, HaveNoBoundOfTightProducts) {
  const auto result = printed(on(1, "gemm -n 8 --tile 2 --accuracy tight --engine modular --verify --json"));
  EXPECT_TRUE(result["verified"].is_null());
  EXPECT_TRUE(result["error_bound_u2"].is_null());
}

TEST_F(Ranks, EndWhereAStepTakesLongerThanItMay) {
  const Outcome run = on(1, "gemm -n 1500 --tile 64 --time-limit 0.2");
  EXPECT_NE(run.code, 0);
  EXPECT_NE(run.err.find("hilo: gemm on rank 0 is not done after 0.2 s, its time limit: the job ends"),
            std::string::npos)
      << run.err;
}

#else

class Ranks : public Program {};

TEST_F(Ranks, AreRefusedByABuildWithoutThem) {
  expect_error("gemm -n 5", 2, "mpirun has started 2 processes: this build of hilo has no hilo::distributed",
               "OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0");
  expect_error("gemm -n 5 --distributed", 2, "--distributed: this build of hilo has no hilo::distributed");
}

#endif

// As of a script that mpirun started, and that took the sizes away.
TEST_F(Ranks, OneProcessSaysWhatIsWrongWhateverItsNumber) {
  const std::string environment = "env -u OMPI_COMM_WORLD_SIZE -u PMI_SIZE OMPI_COMM_WORLD_RANK=1 PMIX_RANK=1";
  expect_error("eig -n x", 2, "-n 'x' is not an integer", environment);
}

TEST_F(Ranks, HaveOptionsThatOneProcessHasNoUseFor) {
  for (const std::string option : {"--tile 4", "--grid 1,1", "--time-limit 5"}) {
    expect_error("gemm -n 5 " + option, 2, option + " has no effect: it is for ranks of an MPI job");
  }
  expect_error("solve -n 5 --checkpoint kept", 2, "--checkpoint kept has no effect");
}

}  // namespace
}  // namespace hilo
