// pubsub_commands.h - the family of commands on channels.
#pragma once

#include <string>
#include <string_view>

#include "server/command/command.h"
#include "server/pubsub/outbox.h"
#include "server/pubsub/subscriptions.h"

namespace mayfly::server {

// What the commands work on, from CallHost::pubsub().
struct PubSubContext {
  PubSub& registry;
  Subscriptions* mine = nullptr;  // Null where no client is, as in a script.
  Outbox* outbox = nullptr;       // Null: what is published goes out at once.
};

CommandFamily PubSubFamily();

}  // namespace mayfly::server
