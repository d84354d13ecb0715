// `hilo solve`, `hilo eig` and `hilo svd` on a device: what they compute there, what they refuse, and that nothing is
// written where a device fails.
#include <cmath>
#include <complex>

#include "cli_program.hpp"
#include "data/matrix.hpp"

namespace hilo {
namespace {

using nlohmann::json;
using test::Outcome;
using test::Program;

class DeviceProgram : public Program {
 protected:
  void SetUp() override {
    const json chosen = default_device("");
    if (chosen.is_null()) GTEST_SKIP() << "no OpenCL device";
    device = chosen["name"];
  }
  // What `hilo info` tells of the device that --backend opencl takes, the first GPU or else the first one, and sets
  // `numbers`; null where there is none.
  json default_device(const std::string& environment) {
    const json platforms = json::parse(hilo("info --json", environment).out)["platforms"];
    json chosen;
    for (std::size_t p = 0; p < platforms.size(); ++p) {
      const json& devices = platforms[p]["devices"];
      for (std::size_t d = 0; d < devices.size(); ++d) {
        const bool is_gpu = devices[d]["type"] == "gpu";
        if (!chosen.is_null() && !is_gpu) continue;
        chosen = devices[d];
        numbers = " -p " + std::to_string(p) + " -d " + std::to_string(d) + ' ';
        if (is_gpu) return chosen;
      }
    }
    return chosen;
  }
  // What ran on the default device, `threads` of the host's where it computed.
  void expect_device(const json& r, int threads = 0) {
    EXPECT_EQ(r["backend"], "opencl");
    EXPECT_EQ(r["device"], device);
    EXPECT_EQ(r["threads"], threads);
    EXPECT_GT(r["seconds_kernel"].get<double>(), 0.0);
    EXPECT_GT(r["seconds_total"].get<double>(), r["seconds_kernel"].get<double>());
  }
  template <class T>
  data::Matrix<T> matrix(const std::string& name) {
    return data::read_matrix<T>(folder.file(name), Layout::column);
  }

  std::string device, numbers;  // its name, and its options
};

const std::string array = "%%MatrixMarket matrix array real general\n";

TEST_F(DeviceProgram, SolvesInEveryPrecision) {
  for (const char* precision : {"s", "d", "c", "z", "dd", "zdd"}) {
    for (const char* options : {"", "--spd --layout row --nrhs 3"}) {
      SCOPED_TRACE(std::string(precision) + ' ' + options);
      const json r = hilo_json("solve -n 20 --verify --precision " + (precision + numbers) + options);
      EXPECT_EQ(r["verified"], true) << r;
      EXPECT_EQ(r["path"], options[0] ? "Cholesky in double" : "LU in double");
      expect_device(r);
    }
  }
  const json cpu = hilo_json("solve -n 20 --threads 2");
  EXPECT_EQ(cpu["backend"], "cpu");
  EXPECT_EQ(cpu["threads"], 2);
  EXPECT_EQ(cpu["seconds_kernel"], cpu["seconds_total"]);
}

TEST_F(DeviceProgram, SolvesWithAProof) {
  for (const char* precision : {"dd", "z"}) {
    const json r = hilo_json(std::string("solve -n 30 --certify --verify --backend opencl --precision ") + precision);
    EXPECT_EQ(r["verified"], true) << r;
    EXPECT_EQ(r["certified"], true);
    EXPECT_EQ(r["bounds_violated"], 0);
    EXPECT_GT(r["error_bound"].get<double>(), 0.0);
  }
}

// Factors in double-double with engine and FMA named have the host's bits.
TEST_F(DeviceProgram, SolutionsHaveTheBitsOfTheCpu) {
  for (const char* options : {"--precision dd", "--precision dd --spd --layout row", "--precision zdd"}) {
    SCOPED_TRACE(options);
    const std::string system =
        std::string("solve -n 40 --nrhs 3 --init range:2 --engine direct --fma off --factors dd ") + options;
    json here = hilo_json(system + " -o x.npy"), there = hilo_json(system + " --backend opencl -o y.npy");
    EXPECT_TRUE(folder.read("x.npy") == folder.read("y.npy"));
    for (const char* key : {"path", "steps", "condition", "growth", "backward_error_u2", "error_estimate"}) {
      EXPECT_EQ(here[key], there[key]) << key;
    }
  }
}

TEST_F(DeviceProgram, SolvesFiles) {
  folder.write("a.mtx", array + "2 2\n1\n2\n3\n4\n");
  folder.write("b.mtx", array + "2 3\n1\n0\n0\n1\n1\n1\n");
  const Outcome run = hilo("solve a.mtx b.mtx -o x.mtx" + numbers);
  EXPECT_EQ(run.code, 0) << run.err;
  for (const std::string& words :
       {std::string("system     dd, 2 x 2, 3 right-hand sides, column layout\n"),
        "\nbackend    opencl: " + device + "\nkernel     ", std::string(" s, not warmed up (--repeat)\ntotal      "),
        std::string("\nwritten    x.mtx\n")}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  EXPECT_EQ(folder.read("x.mtx"),
            "%%MatrixMarket matrix array real general\n% written by hilo\n2 3\n-2\n1\n1.5\n-0.5\n-0.5\n0.5\n");
  // In its own file's place, by other layouts, and a singular system, which leaves it alone.
  EXPECT_EQ(hilo("solve a.mtx x.mtx -o x.mtx --layout row --backend opencl").code, 0);
  EXPECT_EQ(matrix<dd_real>("x.mtx")(0, 0), dd_real(5.5));
  folder.write("singular.mtx", array + "2 2\n1\n2\n2\n4\n");
  folder.write("x.mtx", "as it was");
  const Outcome failed = hilo("solve singular.mtx b.mtx -o x.mtx --backend opencl --repeat 3 --json");
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(failed.err, "hilo: the system was not solved: A is singular to double-double; x.mtx was not written\n");
  EXPECT_EQ(json::parse(failed.out)["solved"], false);
  EXPECT_EQ(json::parse(failed.out)["repeat"], 0);  // others would fail alike
  EXPECT_EQ(folder.read("x.mtx"), "as it was");
}

TEST_F(DeviceProgram, EigenvaluesAndVectors) {
  // With the eigenvalues 1 and 3 of (1, -1) and (1, 1).
  folder.write("a.mtx", array + "2 2\n2\n77\n1\n2\n");
  Outcome run = hilo("eig a.mtx --upper -o values.mtx --vectors v.npy --certify --layout row --backend opencl");
  EXPECT_EQ(run.code, 0) << run.err;
  for (const std::string& words :
       {std::string("solved     by refinement, "), std::string("values     from 1 to 3\n"), std::string(", proved\n"),
        "backend    opencl: " + device + "\nkernel ", std::string("written    values.mtx\nwritten    v.npy\n")}) {
    EXPECT_NE(run.out.find(words), std::string::npos) << words << " in\n" << run.out;
  }
  const auto values = matrix<dd_real>("values.mtx"), v = matrix<dd_real>("v.npy");
  constexpr double few = 24 * 0x1p-106;
  for (std::int64_t i = 0; i < 2; ++i) {
    EXPECT_LE(std::fabs((values(i, 0) - (1.0 + 2.0 * static_cast<double>(i))).hi), few) << i;
    EXPECT_LE(std::fabs((v(i, 1) - v(0, 1)).hi), few);
    EXPECT_LE(std::fabs((v(i, 0) * v(i, 0) * 2.0 - 1.0).hi), few);
  }
  const std::string problem = "eig -n 20 --vectors v.mtx --backend opencl --certify --precision ";
  const json zdd = hilo_json(problem + "zdd --hermitian");
  EXPECT_EQ(zdd["path"], "refinement");
  EXPECT_EQ(zdd["certified"], true);
  EXPECT_LT(zdd["residual_u2"].get<double>(), 100.0);
  EXPECT_LT(zdd["orthogonality_u2"].get<double>(), 100.0);
  expect_device(zdd);
  // In the other precisions the host's, which says so.
  for (const char* precision : {"s", "d", "c --hermitian", "z --hermitian"}) {
    const json r = hilo_json(problem + precision + " --threads 2");
    EXPECT_EQ(r["path"], "LAPACK");
    EXPECT_EQ(r["certified"], true);
    expect_device(r, 2);
  }
  run = hilo("eig -n 20 --backend opencl --precision d --threads 1");
  EXPECT_NE(run.out.find(device + "\n           computed on the host, 1 thread\n"), std::string::npos) << run.out;
}

TEST_F(DeviceProgram, SingularValuesAndVectors) {
  // With the singular values 130 and 65 of (3, 4, 0) / 5, (-4, 3, 0) / 5 and (5, 12) / 13, (-12, 5) / 13.
  folder.write("a.mtx", array + "3 2\n78\n4\n0\n52\n111\n0\n");
  constexpr double few = 130 * 24 * 0x1p-106;
  for (const char* options : {"--layout row", "--full"}) {
    SCOPED_TRACE(options);
    const Outcome run =
        hilo(std::string("svd a.mtx -o values.mtx --left u.npy --right v.mtx --backend opencl ") + options);
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.out.find("values     from 130 to 65\n"), std::string::npos) << run.out;
    const auto values = matrix<dd_real>("values.mtx"), u = matrix<dd_real>("u.npy"), v = matrix<dd_real>("v.mtx");
    EXPECT_LE(std::fabs((values(0, 0) - 130.0).hi) + std::fabs((values(1, 0) - 65.0).hi), few);
    ASSERT_EQ(u.columns, options[2] == 'f' ? 3 : 2);
    ASSERT_EQ(v.columns, 2);
    EXPECT_LE(std::fabs((u(0, 0) * v(0, 0) - dd_real(15.0) / 65.0).hi), few);
    EXPECT_LE(std::fabs((u(0, 1) * v(0, 1) - dd_real(48.0) / 65.0).hi), few);
  }
  const json zdd = hilo_json("svd -m 8 -n 12 --certify --right v.mtx --backend opencl --precision zdd");
  EXPECT_EQ(zdd["path"], "refinement");
  EXPECT_EQ(zdd["certified"], true);
  EXPECT_LT(zdd["residual_u2"].get<double>(), 100.0);
  expect_device(zdd);
  EXPECT_EQ(matrix<dd_complex>("v.mtx").rows, 12);
  for (const char* options : {"--precision s", "--precision z", "--relative"}) {
    expect_device(hilo_json(std::string("svd -n 12 --left u.npy --backend opencl --threads 2 ") + options), 2);
  }
}

TEST_F(DeviceProgram, RepeatedRunsAreWarm) {
  for (const char* command : {"solve -n 9 -o x.npy", "eig -n 9 -o x.npy", "svd -n 9 -o x.npy"}) {
    const json cold = hilo_json(std::string(command) + " --backend opencl");
    const std::string once = folder.read("x.npy");
    const json warm = hilo_json(std::string(command) + " --repeat 2 --backend opencl");
    EXPECT_EQ(cold["repeat"], 0) << command;
    EXPECT_EQ(warm["repeat"], 2) << command;
    EXPECT_TRUE(folder.read("x.npy") == once) << command;
    const std::string words = " s, not warmed up (--repeat)\n";
    EXPECT_NE(hilo(std::string(command) + " --backend opencl").out.find(words), std::string::npos) << command;
    const std::string table = hilo(std::string(command) + " --repeat 2 --backend opencl").out;
    EXPECT_NE(table.find("\nkernel     "), std::string::npos) << table;
    EXPECT_EQ(table.find(words), std::string::npos) << table;
  }
}

TEST_F(DeviceProgram, WhatDevicesHaveNotIsRefused) {
  const std::pair<const char*, const char*> cases[] = {
      {"solve -n 3 --symmetric",
       "hilo: --symmetric: there is no L D L^T on devices; leave it out for LU there, or leave out --backend opencl, "
       "-p "
       "and -d\n"},
      {"solve -n 3 --hermitian",
       "hilo: --hermitian: there is no L D L^H on devices; leave it out for LU there, or leave out --backend opencl, "
       "-p "
       "and -d\n"},
      {"solve absent.mtx b.mtx --least-squares",
       "hilo: --least-squares: there is no QR of least squares on devices; leave out --backend opencl, -p and -d\n"},
      {"solve -n 3 --threads 9999", "hilo: --threads 9999 is more than 1024"},
      {"eig -n 3 --threads 9999", "hilo: --threads 9999 is more than 1024"},
      {"svd -n 3 --threads 9999", "hilo: --threads 9999 is more than 1024"},
  };
  folder.write("x.mtx", "as it was");
  for (const auto& [words, message] : cases) {
    expect_error(std::string(words) + " --backend opencl -o x.mtx", 2, message);
    expect_error(std::string(words) + " -d 0 -o new.npy --json", 2, message);
  }
  for (const char* command : {"solve", "eig", "svd"}) {
    const std::string problem = std::string(command) + " -n 3 -o x.mtx ";
    expect_error(problem + "-p 99", 3, "hilo: -p: no OpenCL platform number 99");
    expect_error(problem + "-d 99", 3, "hilo: -d: no OpenCL device number 99 on platform 0");
    expect_error(problem + "-d -1", 3, "-1");
    expect_error(problem + "-d x", 2, "hilo: -d 'x' is not an integer");
    expect_error(problem + "-d 0 --backend cpu", 2,
                 "hilo: -p, -d and --device choose an OpenCL device; --backend is cpu");
  }
  EXPECT_EQ(folder.read("x.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.npy")));
}

// A program that does not build is a device's failure midway.
TEST_F(DeviceProgram, DevicesThatFailLeaveTheOutputsAlone) {
  folder.write("x.mtx", "as it was");
  for (const char* name : {"solve/take.cl", "solve/convert.cl", "blas/copies.cl", "spectral/vectors.cl"}) {
    folder.write(name, "this is no kernel\n");
  }
  const std::string broken = "HILO_KERNEL_PATH='" + folder.file(".") + "'";
  for (const char* command : {"solve -n 9", "eig -n 9 --vectors v.mtx", "svd -n 9 --left v.mtx --right new.npy",
                              "eig -n 9 --precision d --vectors v.mtx"}) {
    const Outcome run = hilo(std::string(command) + " -o x.mtx --backend opencl", broken);
    EXPECT_EQ(run.code, 4) << command;
    EXPECT_EQ(run.out, "") << command;
    EXPECT_NE(run.err.find(" does not build for device " + device), std::string::npos) << run.err;
    EXPECT_EQ(folder.read("x.mtx"), "as it was") << command;
  }
  EXPECT_EQ(folder.read("x.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("v.mtx")));
  EXPECT_FALSE(std::filesystem::exists(folder.file("new.npy")));
}

// Before anything is computed, matrices from files and what a device holds beside matrices are counted.
TEST_F(DeviceProgram, WhatDoesNotFitTheDeviceIsRefused) {
  // PoCL's device has as many GiB as this says, and gives a quarter of them at a time.
  const std::string limited = "POCL_MEMORY_LIMIT=1";
  const json chosen = default_device(limited);
  if (chosen["global_memory"] != 1 << 30) GTEST_SKIP() << "another device";
  folder.write("a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n4000 4000 1\n1 1 1\n");
  folder.write("x.mtx", "as it was");
  const std::string device_has = " bytes, and the device has 1073741824 bytes\n",
                    device_gives = " bytes, and the device gives at a time at most ";
  const std::pair<const char*, std::string> cases[] = {
      {"solve -n 4100", " for A of 4100 x 4100 entries of 16 bytes each: it takes 268960000" + device_gives},
      {"solve -n 4100 --certify --factors dd",
       " for A of 4100 x 4100, b of 4100 x 1 and x of 4100 x 1 entries of 16 bytes each and a workspace of 806880000 "
       "bytes: they take 1075971200" +
           device_has},
      {"solve -n 4100 --precision s --factors dd", " for a matrix of the workspace: it takes 268960000" + device_gives},
      {"eig -n 3000 --vectors v.mtx",
       " for A of 3000 x 3000 and the eigenvectors of 3000 x 3000 entries of 16 bytes each and a workspace of "
       "792000000 "
       "bytes: they take 1080000000" +
           device_has},
      {"eig -n 3000 --certify",
       " for A of 3000 x 3000 entries of 16 bytes each and a workspace of 1368000000 bytes: they take 1512000000" +
           device_has},
      {"eig a.mtx",
       " for A of 4000 x 4000 entries of 16 bytes each and a workspace of 1408000000 bytes: they take "
       "1664000000" +
           device_has},
      {"eig -n 8000 --precision d", " for A of 8000 x 8000 entries of 8 bytes each: it takes 512000000" + device_gives},
      {"svd a.mtx",
       " for A of 4000 x 4000 entries of 16 bytes each and a workspace of 2816000000 bytes: they take "
       "3072000000" +
           device_has},
      {"svd -n 5000 -m 2000 --right v.mtx --full",
       " for A of 2000 x 5000, U of 2000 x 2000 and V of 5000 x 5000 entries of 16 bytes each and a workspace of "
       "1360000000 bytes: they take 1984000000" +
           device_has},
      {"svd -n 4100 --relative", " for A of 4100 x 4100 entries of 16 bytes each: it takes 268960000" + device_gives},
  };
  for (const auto& [words, message] : cases) {
    const std::string no_memory = "hilo: no memory on device " + std::string(chosen["name"]);
    expect_error(words + numbers + "-o x.mtx", 4, no_memory + message, limited);
  }
  EXPECT_EQ(folder.read("x.mtx"), "as it was");
  EXPECT_FALSE(std::filesystem::exists(folder.file("v.mtx")));
}

TEST_F(Program, ProblemsWithoutADevice) {
  const std::string nowhere = "OCL_ICD_VENDORS=/nonexistent";
  // A build without OpenCL says so whatever is asked for.
  const bool has_opencl = json::parse(hilo("info --json").out)["opencl"];
  const std::string none = has_opencl ? "hilo: no OpenCL device: no OpenCL platform is installed" : "without OpenCL",
                    none_with_p = has_opencl ? "hilo: -p: no OpenCL platform number 0: no OpenCL" : "without OpenCL";
  for (const char* command : {"gemm", "solve", "eig", "svd"}) {
    for (const char* place : {"--backend opencl", "-d 0"}) {
      expect_error(std::string(command) + " -n 3 -o x.mtx " + place, 3, none, nowhere);
    }
    expect_error(std::string(command) + " -n 3 -p 0", 3, none_with_p, nowhere);
    expect_error(std::string(command) + " -n 3 -p 99", 3, "");
    EXPECT_EQ(hilo_json(std::string(command) + " -n 3 --backend cpu --repeat 2")["backend"], "cpu");
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("x.mtx")));
}

}  // namespace
}  // namespace hilo
