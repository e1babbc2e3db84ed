// reencrypt.h - `mayfly reencrypt`: changes or removes a database's password.
#pragma once

namespace mayfly::app {

class Commands;

void AddReencrypt(Commands& commands);

}  // namespace mayfly::app
