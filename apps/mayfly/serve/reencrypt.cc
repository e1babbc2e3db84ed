#include "apps/mayfly/serve/reencrypt.h"

#include <fmt/format.h>

#include <memory>

#include "apps/mayfly/cli/commands.h"
#include "apps/mayfly/target/key_file.h"
#include "crypto/secret.h"
#include "mayfly/encryption.h"

namespace mayfly::app {
namespace {

struct ReencryptFlags {
  std::string directory;
  std::string new_directory;  // Empty: only the password is changed.
  std::string key_file;
  std::string new_key_file;
};

Result<ExitCode> RunReencrypt(const ReencryptFlags& flags) {
  MAYFLY_TRY(const crypto::Secret password, PasswordIn(flags.key_file));
  if (IsUrl(flags.directory)) {
    return Status::Unsupported(
        "a running server cannot be reencrypted; stop it and name its folder");
  }
  MAYFLY_TRY(const crypto::Secret wanted, PasswordIn(flags.new_key_file));
  if (flags.new_directory.empty()) {
    MAYFLY_RETURN_IF_ERROR(ChangePassword(flags.directory, password.view(), wanted.view()));
    fmt::print("{}: the password is changed\n", flags.directory);
    return kExitDone;
  }
  MAYFLY_RETURN_IF_ERROR(Reencrypt({.directory = flags.directory,
                                    .password = password.view(),
                                    .new_directory = flags.new_directory,
                                    .new_password = wanted.view()}));
  fmt::print("{}: written, {}. {} is as it was\n", flags.new_directory,
             wanted.empty() ? "not encrypted" : "encrypted", flags.directory);
  return kExitDone;
}

}  // namespace

void AddReencrypt(Commands& commands) {
  const auto flags = std::make_shared<ReencryptFlags>();
  CLI::App* const command = commands.Add(
      commands.app(), "reencrypt",
      "Write a database to a new folder under another password, or none. Without a new folder\n"
      "the password alone is changed: at once, but an old copy of MAYFLY.key and the old\n"
      "password still open it.",
      {"mayfly reencrypt data new --encryption-key-file old.key --new-key-file new.key"},
      [=] { return RunReencrypt(*flags); });
  command->add_option("DIR", flags->directory, "The database's folder; no server may use it.")
      ->required();
  command->add_option("NEW", flags->new_directory, "The folder to write; remove DIR yourself.");
  AddKeyFile(*command, flags->key_file);
  command
      ->add_option("--new-key-file", flags->new_key_file,
                   "The file with the new password. Without it, NEW is not encrypted.")
      ->type_name("FILE");
}

}  // namespace mayfly::app
