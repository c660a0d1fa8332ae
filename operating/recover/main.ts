import { parseArgs } from 'node:util'
import { UNLIMITED_MS } from '#database/pool.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { openForCommand } from '#runtime/commands/open-for-command.ts'
import { recoverDatabase } from '#runtime/use-cases/overview/recovery.ts'
import { listInDoubt } from './list-in-doubt.ts'
import { refuseConnectedRuntimes } from './refuse-runtimes.ts'

const USAGE = 'npm run recover -- --raise-sequences N [--despite-connections]'

/** After files of the database were restored: raises all numbers that plugins or people may have seen. */
async function main({ onStop, end }: Program): Promise<void> {
  const { raiseBy, despiteConnections } = readArguments()
  const { db } = await openForCommand(onStop, 'recover', { statementTimeoutMs: UNLIMITED_MS })
  if (!despiteConnections) await refuseConnectedRuntimes(db)
  const recovery = await recoverDatabase(db, { because: 'COMMAND' }, { raiseBy, isForced: true })
  console.log(
    `The execution sequences of ${recovery?.installations ?? 0} installations and the snapshot versions of ${recovery?.scopes ?? 0} scopes are increased by ${raiseBy}.`,
  )
  console.log(await listInDoubt(db))
  end(0)
}

function readArguments(): { raiseBy: number; despiteConnections: boolean } {
  try {
    const { 'raise-sequences': text = '', 'despite-connections': despiteConnections = false } = parseArgs({
      options: { 'raise-sequences': { type: 'string' }, 'despite-connections': { type: 'boolean' } },
    }).values
    if (/^[1-9]\d{0,8}$/.test(text)) return { raiseBy: Number(text), despiteConnections }
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
  throw new SettingsError(
    `N must be a whole number, larger than the number of operations of any installation that may be lost. Usage: ${USAGE}`,
  )
}

await runProgram(main)
