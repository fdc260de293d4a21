import type { Command } from './command.js'
import { pin, restore, revert, unpin } from './commands/change.js'
import { check } from './commands/check.js'
import { drill } from './commands/drill.js'
import { history } from './commands/history.js'
import { status } from './commands/status.js'
import { tryRoute } from './commands/try.js'

/** Everything that can be done, in the order of the help. */
export const COMMANDS: readonly Command[] = [status, pin, unpin, revert, history, restore, tryRoute, drill, check]
