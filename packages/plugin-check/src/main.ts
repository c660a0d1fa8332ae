#!/usr/bin/env node
import { askInTerminal } from './commands/ask-in-terminal.ts'
import { runCommand } from './commands/command-line.ts'

// An exit, unlike a signal, ends the plugin that the checker has started.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

process.exitCode = await runCommand(process.argv.slice(2), {
  print: (text) => console.log(text),
  printError: (text) => console.error(text),
  ask: askInTerminal,
})
