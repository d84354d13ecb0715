// What the shells' scripts offer is what the program takes, and the manual page has all of it.
#include <algorithm>
#include <sstream>
#include <vector>

#include "cli_program.hpp"

namespace hilo {
namespace {

using test::Outcome;
using test::Program;

class Completion : public Program {
 protected:
  // Whether a command is there that a system may lack.
  static bool has(const std::string& command) {
    return std::system(("command -v " + command + " >/dev/null 2>&1").c_str()) == 0;
  }

  // What bash offers for the last of the words; "=" is a word of its own to it.
  std::vector<std::string> offered(const std::string& words) {
    folder.write("complete.bash",
                 "source <(" HILO_PROGRAM_FILE " completion bash)\nCOMP_WORDS=(" + words +
                     ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_hilo\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    std::istringstream lines(run("bash complete.bash"));
    std::vector<std::string> all;
    for (std::string line; std::getline(lines, line);) {
      if (!line.empty()) all.push_back(line);
    }
    std::sort(all.begin(), all.end());
    return all;
  }

  std::string run(const std::string& command) {
    const int code = std::system(("cd '" + folder.file(".") + "' && " + command + " >out.txt 2>&1").c_str());
    EXPECT_EQ(code, 0) << command << '\n' << folder.read("out.txt");
    return folder.read("out.txt");
  }
};

using Words = std::vector<std::string>;

// What follows the colon is part of the word.
TEST_F(Completion, OfBashSetsNoSpaceBehindAColon) {
  folder.write("complete.bash", "source <(" HILO_PROGRAM_FILE
                                " completion bash)\ncompopt() { echo \"$*\"; }\nCOMP_CWORD=3\n"
                                "COMP_WORDS=(hilo gemm --init ran)\n_hilo\nCOMP_WORDS[3]=unif\n_hilo\n");
  EXPECT_EQ(run("bash complete.bash"), "-o nospace +o filenames\n");
}

TEST_F(Completion, OfBashOffersCommandsOptionsValuesAndMatrices) {
  folder.write("A.mtx", "");
  folder.write("B.npy", "");
  folder.write("notes.txt", "");
  EXPECT_EQ(offered("hilo so"), Words{"solve"});
  EXPECT_EQ(offered("hilo help inf"), Words{"info"});
  EXPECT_EQ(offered("hilo gemm --engine ''"), (Words{"auto", "direct", "modular", "reproducible"}));
  EXPECT_EQ(offered("hilo gemm --init r"), Words{"range:"});
  EXPECT_EQ(offered("hilo --int8 a"), (Words{"amx", "auto"}));
  EXPECT_EQ(offered("hilo A.mtx --verify = ''"), (Words{"full", "sample"}));
  EXPECT_EQ(offered("hilo solve --accuracy ''"), (Words{"backward", "full"}));
  EXPECT_EQ(offered("hilo solve --acc"), Words{"--accuracy"});
  EXPECT_EQ(offered("hilo solve ''"), (Words{"A.mtx", "B.npy"}));
  EXPECT_EQ(offered("hilo gemm A.mtx -o B"), Words{"B.npy"});
  EXPECT_EQ(offered("hilo bench --plot n"), Words{"notes.txt"});
  EXPECT_EQ(offered("hilo gemm --load n"), Words{"notes.txt"});
  EXPECT_EQ(offered("hilo gemm --flags n"), Words{"notes.txt"});
  EXPECT_EQ(offered("hilo bench --csv n"), Words{"notes.txt"});
  EXPECT_EQ(offered("hilo bench --csv --plo"), Words{"--plot"});
  EXPECT_EQ(offered("hilo accuracy --csv n"), Words{"notes.txt"});
  EXPECT_EQ(offered("hilo bench --compare n"), Words{"notes.txt"});
  EXPECT_EQ(offered("hilo bench --compare notes.txt n"), Words{"notes.txt"});
  EXPECT_EQ(offered("hilo bench --compare notes.txt notes.txt --fail"), Words{"--fail-on-slower"});
  EXPECT_EQ(offered("hilo report n"), Words{"notes.txt"});
  EXPECT_EQ(offered("hilo bench --precision d"), (Words{"d", "dd"}));
  EXPECT_EQ(offered("hilo bench --precision s,d"), (Words{"s,d", "s,dd"}));
  EXPECT_EQ(offered("hilo bench --precision d,"), (Words{"d,c", "d,dd", "d,s", "d,z", "d,zdd"}));
  EXPECT_EQ(offered("hilo bench --engine = direct,modular,''"),
            (Words{"direct,modular,auto", "direct,modular,reproducible"}));
  EXPECT_EQ(offered("hilo bench --reference ./no"), Words{"./notes.txt"});
  EXPECT_EQ(offered("hilo accuracy --reference mkfif"), Words{"mkfifo"});
  EXPECT_EQ(offered("hilo model --routine ''"), (Words{"gemm", "getrf", "potrf"}));
  EXPECT_EQ(offered("hilo tune --backend ''"), (Words{"cpu", "opencl"}));
  EXPECT_EQ(offered("hilo model --device ''"), (Words{"c1060", "cpu", "cypress", "gpu", "gtx580", "h100", "h200"}));
  EXPECT_EQ(offered("hilo completion ''"), (Words{"bash", "fish", "zsh"}));
  EXPECT_EQ(offered("hilo gemm -n ''"), Words{});
  const Words first = offered("hilo ''");
  for (const char* word : {"gemm", "man", "--version", "A.mtx"}) {
    EXPECT_NE(std::find(first.begin(), first.end(), word), first.end()) << word;
  }
}

// No word that is offered as a value is refused for being none of those that there are.
TEST_F(Completion, OffersWhatIsTaken) {
  for (const char* option : {"--engine", "--precision", "--transa", "--transb", "--layout", "--fma", "--complex",
                             "--int8", "--backend", "--accuracy", "--init"}) {
    const Words words = offered(std::string("hilo gemm ") + option + " ''");
    EXPECT_GE(words.size(), 2u) << option;
    for (const std::string& word : words) {
      const std::string value = word.ends_with(':') ? word + "50" : word;
      const Outcome run = hilo(std::string("gemm -n 2 ") + option + ' ' + value);
      EXPECT_EQ(run.err.find("is none of"), std::string::npos) << option << ' ' << value << ": " << run.err;
    }
  }
  for (const char* option : {"--routine", "--engine", "--precision", "--transa", "--transb", "--backend"}) {
    const Words words = offered(std::string("hilo bench ") + option + " ''");
    EXPECT_GE(words.size(), 2u) << option;
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ",") + word;
    const Outcome run = hilo(std::string("bench --sizes 0 ") + option + ' ' + all);
    EXPECT_EQ(run.err.find("is none of"), std::string::npos) << option << ' ' << all << ": " << run.err;
  }
}

// One list is both.
TEST_F(Completion, OffersWhatHelpTells) {
  std::istringstream help(hilo("help bench").out + hilo("help gemm").out + hilo("help solve").out);
  std::string text;  // as one line
  for (std::string word; help >> word;) text += word + ' ';
  for (const char* words :
       {"auto, direct, modular or reproducible (default: auto)", "Of s, d, c, z, dd, zdd (default: ",
        "full: each entry right to the last digit; backward:", "--csv [FILE.csv]"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << '\n' << text;
  }
}

TEST_F(Completion, OfZshAndFishAreScriptsOfThese) {
  const std::string zsh = hilo("completion zsh").out, fish = hilo("completion FISH").out;
  folder.write("_hilo", zsh);
  folder.write("hilo.fish", fish);
  EXPECT_TRUE(zsh.starts_with("#compdef hilo\n"));
  EXPECT_NE(zsh.find("'--engine=[auto, direct, modular or reproducible (default\\: auto)]:TEXT:(auto direct modular "
                     "reproducible)'"),
            std::string::npos);
  if (has("zsh")) run("zsh -n _hilo");
  if (!has("fish")) return;
  run("fish -n hilo.fish");
  EXPECT_EQ(run("fish -c 'source hilo.fish; complete -C \"hilo gemm --engine m\"'"),
            "modular\tauto, direct, modular or reproducible (default: auto)\n");
  folder.write("before.json", "");
  script("program.sh", "");
  for (const char* words : {"--csv b", "--compare b", "--compare before.json b"}) {
    const std::string found = run("fish -c 'source hilo.fish; complete -C \"hilo bench " + std::string(words) + "\"'");
    EXPECT_TRUE(found.starts_with("before.json")) << words << ": " << found;
  }
  EXPECT_TRUE(run("fish -c 'source hilo.fish; complete -C \"hilo bench --precision s,z\"'").starts_with("s,z"));
  for (const auto& [words, expected] : {std::pair{"gemm --verify=", "--verify=full|--verify=sample|"},
                                        {"gemm --engine=m", "--engine=modular|"},
                                        {"bench --csv=b", "--csv=before.json|"},
                                        {"bench --precision=zdd,d", "--precision=zdd,d|--precision=zdd,dd|"},
                                        {"bench --precision d,dd,z", "d,dd,z|d,dd,zdd|"},
                                        {"bench --reference ./pro", "./program.sh|"}}) {
    std::istringstream found(run("fish -c 'source hilo.fish; complete -C \"hilo " + std::string(words) + "\"'"));
    std::string all;
    for (std::string line; std::getline(found, line);) all += line.substr(0, line.find('\t')) + '|';
    EXPECT_EQ(all, expected) << words;
  }
}

// What zsh makes of a line and a tabulator, as a person types them into a terminal that zpty lends; an X that is
// typed behind them shows whether zsh has set a space, or the comma that goes again with a space. What is typed waits
// for a prompt that the last command before it sets: by then zsh has taken the terminal from the kernel's line editor.
TEST_F(Completion, OfZshCompletesWhatIsTyped) {
  if (!has("zsh") || std::system("zsh -fc 'zmodload zsh/zpty' 2>/dev/null") != 0) GTEST_SKIP() << "no zsh with zpty";
  folder.write("_hilo", hilo("completion zsh").out);
  script("program.sh", "");
  folder.write("type.zsh", R"(zmodload zsh/zpty
for line; do
  zpty typed zsh -fi
  zpty -w typed "PS1= fpath=($PWD \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word"
  zpty -w typed 'hilo() { print -r "<"${(j:|:)@}">" }'
  zpty -w typed "PS1=REA''DY"
  zpty -r -m typed out '*READY*'
  zpty -n -w typed "hilo $line"$'\t'X$'\n'
  zpty -r -m typed out '*<*>*'
  print -r -- ${${out##*<}%%>*}
  zpty -d typed
done
)");
  EXPECT_EQ(run("timeout 120 zsh -f type.zsh 'gemm --engine=m' 'gemm --engine m' 'gemm --verify=f' 'gemm --init r' "
                "'solve --init=r' 'bench --precision d,s' 'bench --precision s,d,c,z,dd,' 'bench --reference ./pro'"),
            "gemm|--engine=modular|X\ngemm|--engine|modular|X\ngemm|--verify=full|X\ngemm|--init|range:X\n"
            "solve|--init=range:X\nbench|--precision|d,s,X\nbench|--precision|s,d,c,z,dd,zdd,X\n"
            "bench|--reference|./program.sh|X\n");
}

TEST_F(Completion, OfAnotherShellIsRefused) {
  expect_error("completion csh", 2, "SHELL 'csh' is none of bash, zsh, fish");
  expect_error("completion", 2, "SHELL '' is none of bash, zsh, fish");
}

TEST_F(Completion, ManualHasEveryCommandAndOption) {
  const std::string page = hilo("man").out;
  EXPECT_TRUE(page.starts_with(".TH HILO 1 "));
  for (const char* command :
       {"gemm", "solve", "eig", "svd", "bench", "accuracy", "model", "report", "tune", "info", "completion"}) {
    EXPECT_NE(page.find(".SS Options of hilo " + std::string(command) + '\n'), std::string::npos) << command;
    // "  --engine TEXT         auto, …"
    std::istringstream help(hilo("help " + std::string(command)).out);
    for (std::string line; std::getline(help, line);) {
      if (!line.starts_with("  -")) continue;
      std::string name = line.substr(2, line.find_first_of(" ,", 2) - 2), escaped;
      for (const char c : name) escaped += c == '-' ? "\\-" : std::string(1, c);
      EXPECT_NE(page.find("\\fB" + escaped + "\\fR"), std::string::npos) << command << ' ' << name;
    }
  }
  folder.write("hilo.1", page);
  if (!has("groff")) return;
  EXPECT_EQ(run("groff -z -man -Tutf8 -ww hilo.1"), "");
}

}  // namespace
}  // namespace hilo
