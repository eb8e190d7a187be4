// The one source that knows the library that reads command lines: it takes long to compile.
#include "harness/options/Command.h"

#include "base/NearestName.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <vector>

namespace touchstone::options {

namespace {

Traits traitsOf(CLI::Validator validator) {
  return {[validator](const std::string& value) { return validator(value); }, validator.get_description()};
}

/// Does what takes a value, and tells the library what is wrong with it.
template <class... Value>
auto taking(const Option& option, const Takes<Value...>& takes) {
  return [takes, name = option.name()](const Value&... value) {
    try {
      takes.take(value...);
    } catch (const BadValue& error) {
      throw CLI::ValidationError(name, error.what());
    }
  };
}

CLI::Option* addTo(CLI::App& app, const Option& option, bool* target) {
  return app.add_flag(option.names, *target, option.help);
}

template <class Value>
CLI::Option* addTo(CLI::App& app, const Option& option, Value* target) {
  return app.add_option(option.names, *target, option.help);
}

CLI::Option* addTo(CLI::App& app, const Option& option, Off off) {
  return app.add_flag_callback(
      option.names, [off] { *off.target = false; }, option.help);
}

CLI::Option* addTo(CLI::App& app, const Option& option, const Takes<>& takes) {
  return app.add_flag_callback(option.names, taking(option, takes), option.help);
}

template <class Value>
CLI::Option* addTo(CLI::App& app, const Option& option, const Takes<Value>& takes) {
  return app.add_option_function<Value>(option.names, taking(option, takes), option.help);
}

void add(CLI::App& app, const Option& option) {
  CLI::Option* added = std::visit([&](const auto& target) { return addTo(app, option, target); }, option.target);
  const Traits& traits = option.traits;
  if (traits.isSplit) {
    added->delimiter(',');
  }
  if (traits.isOneEach) {
    added->allow_extra_args(false);
  }
  if (traits.most > 0) {
    added->expected(0, static_cast<int>(traits.most));
  }
  if (!traits.excluded.empty()) {
    added->excludes(app.get_option(traits.excluded));
  }
  if (traits.complaint) {
    added->check(CLI::Validator(traits.complaint, traits.values));
  }
  if (traits.showsDefault) {
    added->capture_default_str();
  }
  if (!traits.group.empty()) {
    added->group(traits.group);
  }
  added->required(traits.isRequired);
}

/// The message for a command that does not exist.
std::string unknownCommandText(const Program& program, const std::string& name) {
  std::vector<std::string> names;
  size_t width = 0;
  for (const CommandEntry& entry : program.commands) {
    names.emplace_back(entry.name);
    width = std::max(width, names.back().size());
  }
  std::string text =
      fmt::format("There is no command `{}`.{} These are the commands:\n", name, base::didYouMean(name, names));
  for (const CommandEntry& entry : program.commands) {
    text += fmt::format("  {:{}}  {}\n", entry.name, width, entry.summary);
  }
  return text + "Run with --help for more.\n";
}

bool isUnknownCommand(const Program& program, const std::string& name) {
  return !name.empty() && name[0] != '-' &&
         std::none_of(program.commands.begin(), program.commands.end(),
                      [&](const CommandEntry& entry) { return entry.name == name; });
}

/// What stands behind an option that needs no value is meant as one, and is none that there is: it is no option, and cannot be what
/// the command takes by its place.
bool isWrongValue(const Command& command, const std::string& word) {
  const bool takesPlaces = std::any_of(command.options.begin(), command.options.end(),
                                       [](const Option& option) { return option.names[0] != '-'; });
  std::error_code unknown; // where the word is too long for a name
  const bool maybePath = word.find_first_of("./") != std::string::npos || std::filesystem::exists(word, unknown);
  return !word.starts_with('-') && !(takesPlaces && maybePath);
}

/// The command line, with what is meant where an option that needs no value has none.
std::vector<std::string> withValuesMeant(const Command* command, int count, char** arguments) {
  std::vector<std::string> given(arguments, arguments + count);
  if (command == nullptr) {
    return given;
  }
  for (const Option& option : command->options) {
    const std::vector<std::string>& values = option.traits.follows;
    for (size_t index = 0; !values.empty() && index < given.size(); ++index) {
      const bool hasValue = index + 1 < given.size() && (std::ranges::find(values, given[index + 1]) != values.end() ||
                                                         isWrongValue(*command, given[index + 1])); // which is told
      if (given[index] == option.name() && !hasValue) {
        given.insert(given.begin() + static_cast<std::ptrdiff_t>(index) + 1, values.front());
      }
    }
  }
  return given;
}

Given optionsGiven(const CLI::App& app) {
  Given given;
  for (const CLI::Option* option : app.get_options()) {
    if (option->count() > 0) {
      given.insert(option->get_name());
    }
  }
  return given;
}

} // namespace

Traits aboveZero() {
  return {[](const std::string& text) {
            double number = 0;
            return CLI::detail::lexical_cast(text, number) && number > 0 ? std::string()
                                                                         : "`" + text + "` is no number above 0";
          },
          "NUMBER above 0"};
}

Traits notNegative() {
  return {[](const std::string& text) { return text.starts_with('-') ? "`" + text + "` is below 0" : std::string(); },
          ""};
}

Traits nonNegativeNumber() {
  return traitsOf(CLI::NonNegativeNumber);
}

Traits between(int low, int high) {
  return traitsOf(CLI::Range(low, high));
}

Traits between(double low, double high) {
  return traitsOf(CLI::Range(low, high));
}

Traits oneOf(const std::vector<std::string>& names) {
  return traitsOf(CLI::IsMember(names));
}

Reading readArguments(const Program& program, int count, char** arguments) {
  CLI::App application(program.description, program.name);
  application.require_subcommand(1);
  std::map<const CLI::App*, Command> commands;
  for (const CommandEntry& entry : program.commands) {
    CLI::App* app = application.add_subcommand(entry.name, entry.summary);
    Command& command = commands.emplace(app, entry.make()).first->second;
    for (const Option& option : command.options) {
      add(*app, option);
    }
    const std::string page = *entry.page == '\0' ? "" : std::string("More: ") + entry.page;
    app->footer(command.footer + (command.footer.empty() || page.empty() ? "" : "\n\n") + page);
  }
  application.footer(program.footer); // after the commands, which inherit what is there
  if (count < 2) {
    std::fputs(application.help().c_str(), stderr);
    return base::ExitStatus::kWrongUse;
  }
  try {
    const auto command = std::ranges::find_if(
        commands, [&](const auto& each) { return each.first->get_name() == std::string(arguments[1]); });
    const std::vector<std::string> given =
        withValuesMeant(command == commands.end() ? nullptr : &command->second, count, arguments);
    std::vector<const char*> words;
    for (const std::string& each : given) {
      words.push_back(each.c_str());
    }
    application.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::ParseError& error) {
    const std::string first = count >= 2 ? arguments[1] : "";
    if (error.get_exit_code() != 0 && isUnknownCommand(program, first)) {
      std::fputs(unknownCommandText(program, first).c_str(), stderr);
      return base::ExitStatus::kWrongUse;
    }
    return application.exit(error) == 0 ? base::ExitStatus::kNothingNew : base::ExitStatus::kWrongUse;
  }
  const CLI::App* chosen = application.get_subcommands().front();
  return [run = commands.at(chosen).run, given = optionsGiven(*chosen)] { return run(given); };
}

} // namespace touchstone::options
