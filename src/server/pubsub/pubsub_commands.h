// pubsub_commands.h - the family of commands on channels.
#pragma once

#include <string>
#include <string_view>

#include "server/command/command.h"
#include "server/pubsub/outbox.h"
#include "server/pubsub/subscriptions.h"

namespace mayfly::server {

// The state that the commands use, from CallHost::pubsub().
struct PubSubContext {
  PubSub& registry;
  Subscriptions* mine = nullptr;  // Null without a client, as in a script.
  Outbox* outbox = nullptr;       // Null: messages are published at once.
};

CommandFamily PubSubFamily();

}  // namespace mayfly::server
