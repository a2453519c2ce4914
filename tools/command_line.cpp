// SPDX-License-Identifier: MIT
#include "tools/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "common/base/escape.hpp"

namespace mark6 {
namespace {

std::optional<ExitCode> finish(Environment& environment, const std::string& text) {
  const auto written = write_text(environment.stdout_fd, text);
  return written ? ExitCode::kDelivered : exit_code_of(written.error().code);
}

std::optional<ExitCode> complain(const CLI::App& app, Environment& environment,
                                 const std::string& what) {
  static_cast<void>(write_text(environment.stderr_fd,
                               fmt::format("{}: {}; {} --help tells what can be given\n",
                                           app.get_name(), escaped(what), app.get_name())));
  return ExitCode::kUsage;
}

class UsageFormatter final : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string words) : words_(std::move(words)) {}
  std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
    return "usage: " + app->get_name() + " " + words_ + "\n";
  }

 private:
  std::string words_;
};

}  // namespace

void set_usage(CLI::App& app, std::string words) {
  app.formatter(std::make_shared<UsageFormatter>(std::move(words)));
}

ParsedLine parse_command_line(CLI::App& app, const std::vector<std::string>& args,
                              Environment& environment) {
  ParsedLine line;
  // Behind "--" everything is a word, even if it starts with a dash.
  const auto end_of_options = std::find(args.begin(), args.end(), "--");
  app.allow_extras();
  app.set_help_flag("-h,--help", "print this help");
  try {
    // CLI11 wants the words in reverse order.
    app.parse(std::vector<std::string>(std::make_reverse_iterator(end_of_options), args.rend()));
  } catch (const CLI::CallForHelp&) {
    line.exit = finish(environment, app.help());
    return line;
  } catch (const CLI::CallForVersion& version) {
    line.exit = finish(environment, std::string(version.what()) + "\n");
    return line;
  } catch (const CLI::ParseError& mistake) {
    line.exit = complain(app, environment, mistake.what());
    return line;
  }
  line.words = app.remaining();
  for (const std::string& word : line.words) {
    if (word.size() > 1 && word.front() == '-') {
      line.exit = complain(app, environment, word + ": no such option");
      return line;
    }
  }
  if (end_of_options != args.end()) {
    line.words.insert(line.words.end(), end_of_options + 1, args.end());
  }
  return line;
}

}  // namespace mark6
