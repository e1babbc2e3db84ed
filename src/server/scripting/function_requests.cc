#include "server/scripting/function_requests.h"

#include <fmt/format.h>

#include "mayfly/database.h"

namespace mayfly::server {
namespace {

using CataloguePtr = std::shared_ptr<const Catalogue>;

// What is loaded already is taken from `known`.
CataloguePtr MakeCatalogue(const LibraryTexts& texts, std::string mark, const Catalogue& known,
                           ScriptContext& context) {
  auto catalogue = std::make_shared<Catalogue>(std::move(mark));
  for (const auto& [name, text] : texts) {
    const auto old = known.libraries().find(name);
    Result<std::shared_ptr<const Library>> library =
        old != known.libraries().end() && old->second->text == text
            ? old->second
            : context.engine().LoadLibrary(text, kStoredLibraryLoadTime);
    const Status added = library ? catalogue->Add(*library) : library.status();
    if (added.ok()) continue;
    context.Log(
        LogLevel::kWarning,
        fmt::format("the library of functions '{}' cannot be loaded: {}", name, added.message()));
  }
  return catalogue;
}

Result<CataloguePtr> CatalogueOfRows(core::TransactionKeyspace& space, ScriptContext& context,
                                     std::string mark) {
  const CataloguePtr known = context.engine().catalogue();
  MAYFLY_TRY(const LibraryTexts texts, ReadLibraries(space));
  CataloguePtr catalogue = MakeCatalogue(texts, std::move(mark), *known, context);
  context.engine().KeepCatalogue(catalogue);
  return catalogue;
}

}  // namespace

Result<CataloguePtr> FindCatalogue(Call& call, ScriptContext& context, bool walks) {
  const CataloguePtr known = context.engine().catalogue();
  core::TransactionKeyspace* const space = call.host.OwnSpace(*call.transaction);
  if (space == nullptr) return known;
  MAYFLY_TRY(std::string mark, ReadLibrariesMark(*space, walks));
  if (mark == known->mark()) return known;
  if (!walks && !call.host.has_everything()) {
    call.host.AskForEverything();
    return Status::Internal("the libraries of functions have to be read");
  }
  return CatalogueOfRows(*space, context, std::move(mark));
}

Result<CataloguePtr> ReadCatalogue(Database& database, const Keyspace& own,
                                   ScriptContext& context) {
  MAYFLY_TRY(const auto transaction, database.Begin());
  core::TransactionKeyspace& space = core::SpaceOf(*transaction, own);
  MAYFLY_TRY(std::string mark, ReadLibrariesMark(space, /*walks=*/true));
  if (mark == context.engine().catalogue()->mark()) return context.engine().catalogue();
  return CatalogueOfRows(space, context, std::move(mark));
}

// If the transaction fails, no row will ever have this mark.
Status StoreCatalogue(Call& call, Catalogue catalogue) {
  core::TransactionKeyspace* const space = call.host.OwnSpace(*call.transaction);
  if (space == nullptr) return Status::Unsupported("functions are not offered here");
  MAYFLY_TRY(std::string mark, WriteLibraries(*space, catalogue.texts(), call.host.random()));
  catalogue.set_mark(std::move(mark));
  ScriptContext* const context = call.host.scripts();
  if (context != nullptr) {
    context->engine().KeepCatalogue(std::make_shared<const Catalogue>(std::move(catalogue)));
  }
  return {};
}

}  // namespace mayfly::server
