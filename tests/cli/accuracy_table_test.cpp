// What the marks of `hilo accuracy`'s tables stand behind, and what is told of them below.
#include <gtest/gtest.h>

#include <sstream>

#include "cli/accuracy/table.hpp"
#include "result_text.hpp"

namespace hilo::cli {
namespace {

constexpr const char *less_than_full = "* full accuracy was not to be had\n",
                     *mixed = "* some or all entries by the direct engine\n";

AccuracyRequest request_of(std::vector<Routine> routines) {
  AccuracyRequest r{};
  r.routines = std::move(routines);
  r.precision = Precision::dd;
  r.n = 9;
  return r;
}

std::string table_of(const AccuracyRequest& request, const Sweep& sweep) {
  std::ostringstream out;
  AccuracyTable(out, request).print_end(sweep, "", "");
  return out.str();
}

// Solutions to both accuracies as they were delivered, and of factors in double-double and double, each with error 2.
ConditionRow solutions(const AccuracyRequest& r, double condition, SolveAccuracy of_full) {
  ConditionRow row{true, condition, {}};
  for (const ConditionMethod* method : methods_of(r, true)) {
    ConditionFinding f{method};
    f.max_error_u2 = f.backward_error_u2 = 2.0;
    if (method->accuracy) f.delivered = *method->accuracy == SolveAccuracy::full ? of_full : SolveAccuracy::backward;
    row.findings.push_back(f);
  }
  return row;
}

// A star is behind both figures of what was to be full and is not, and behind no other: not of a solution that was
// asked for to backward accuracy, nor of getrs, which is asked for none.
TEST(AccuracyTable, AStarWhereFullAccuracyWasNotToBeHad) {
  const AccuracyRequest r = request_of({Routine::solve});
  Sweep sweep;
  sweep.over_condition = {solutions(r, 1.0, SolveAccuracy::full), solutions(r, 1e20, SolveAccuracy::backward),
                          solutions(r, 1e30, SolveAccuracy::full)};
  const std::string table = table_of(r, sweep);
  expect_words(table, {"\ncondition    full backward   getrs  double     full backward   getrs  double\n"
                       "        1       2        2       2       2        2        2       2       2\n"
                       "    1e+20       2*       2       2       2        2*       2       2       2\n"
                       "    1e+30       2        2       2       2        2        2       2       2\n"
                       "\n* full accuracy was not to be had\n"});
  EXPECT_EQ(table.find(mixed), table.npos);
  sweep.over_condition.erase(sweep.over_condition.begin() + 1);
  EXPECT_EQ(table_of(r, sweep).find('*'), std::string::npos) << table_of(r, sweep);
}

// Without any solution there is a dash, and no star.
TEST(AccuracyTable, ADashWhereThereIsNoSolution) {
  const AccuracyRequest r = request_of({Routine::solve});
  Sweep sweep;
  sweep.over_condition = {solutions(r, 1e30, SolveAccuracy::full)};
  ConditionFinding& full = sweep.over_condition[0].findings[0];
  full.failure = "A is singular";
  full.delivered.reset();
  const std::string table = table_of(r, sweep);
  expect_words(table, {"\n    1e+30       -        2       2       2        -        2       2       2\n",
                       "\n- no factors or no solution: --json says why\n"});
  EXPECT_EQ(table.find('*'), table.npos) << table;
}

// Behind a product of the modular engine of which the direct one computed some entries, or all; not behind one that is
// refused, nor behind the direct engine's own.
TEST(AccuracyTable, AStarWhereTheDirectEngineTookPart) {
  const AccuracyRequest r = request_of({Routine::gemm});
  SweepRow row{};
  row.k = 8;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    row.observations[i].max_error_u2 = 3.0;
    row.observations[i].report.plan.engine = methods[i].engine;
  }
  row.double_error_u2 = 5.0;
  Sweep sweep;
  sweep.over_phi = {row};
  EXPECT_EQ(table_of(r, sweep).find('*'), std::string::npos) << table_of(r, sweep);
  row.observations[2].report.entries_direct = 1;
  row.observations[3].report.plan.engine = Engine::direct;
  row.observations[4].report.plan.engine = Engine::direct;
  row.observations[4].refusal = "tight cannot be met";
  sweep.over_phi.push_back(row);
  const std::string table = table_of(r, sweep);
  expect_words(table, {"\n     0       8        3        3        3        3        3          5\n"
                       "     0       8        3        3        3*       3*       -          5\n",
                       "\n* some or all entries by the direct engine\n- refused: --json says why\n"});
  EXPECT_EQ(table.find(less_than_full), table.npos);
}

}  // namespace
}  // namespace hilo::cli
