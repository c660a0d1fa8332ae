#!/usr/bin/env node
import { askInTerminal } from './commands/ask-in-terminal.ts'
import { runCommand } from './commands/command-line.ts'
import { runDev } from './commands/dev.ts'

const args = process.argv.slice(2)
const print = (text: string): void => console.log(text)

if (args[0] === 'dev') {
  const code = await runDev(args.slice(1), print)
  if (code !== undefined) process.exit(code)
} else {
  // An exit, unlike a signal, ends the plugin that the checker has started.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  process.exitCode = await runCommand(args, {
    print,
    printError: (text) => console.error(text),
    ask: askInTerminal,
  })
}
