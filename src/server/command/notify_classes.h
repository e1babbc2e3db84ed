// notify_classes.h - which keyspace notifications are published: notify-keyspace-events.
//   K  __keyspace@<db>__:<key>    ->  event      g $ l s h z x e t d  classes of events
//   E  __keyevent@<db>__:<event>  ->  key        A  all of these; m (misses) and n (new keys) aside
// Without K or E nothing is published, whatever the classes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "server/command/command.h"

namespace mayfly::server {

class NotifyClasses {
 public:
  NotifyClasses() = default;  // None.

  // Letters as Redis takes them; nothing for another letter.
  static std::optional<NotifyClasses> Parse(Bytes letters);

  // As Redis prints them: "AKE", "gxE", "".
  std::string ToString() const;

  bool Wants(NotifyClass kind) const;
  bool on_keyspace_channel() const { return Has('K'); }
  bool on_event_channel() const { return Has('E'); }

  static NotifyClasses FromBits(std::uint32_t bits) { return NotifyClasses(bits); }
  std::uint32_t bits() const { return bits_; }

 private:
  explicit NotifyClasses(std::uint32_t bits) : bits_(bits) {}
  bool Has(char letter) const;

  std::uint32_t bits_ = 0;  // Bit i: letter i of kLetters.
};

}  // namespace mayfly::server
