import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { openForCommand } from './open-for-command.ts'
import { loadSealingKeys } from '../keys/open-vault.ts'
import { explainMissingKeys, rewrapDataKeys } from '../keys/rotate.ts'
import { readSealingKey } from '../keys/sealing-key.ts'

const USAGE = 'npm run keys:rewrap -- --to FILE'

/** Wraps the data keys with the sealing key of another file. */
async function main({ onStop, end }: Program): Promise<void> {
  const file = readFileArgument()
  const to = await readSealingKey(file, `--to is wrong: ${file}`)
  const { settings, db } = await openForCommand(onStop, 'keys-rewrap')
  const from = await loadSealingKeys({ dataDir: settings.dataDir, files: settings.sealingKeyFiles })
  const count = await rewrapDataKeys(db, from, to).catch(explainMissingKeys)
  console.log(
    `${count === 1 ? 'The data key is' : `All ${count} data keys are`} now wrapped with the sealing key ${to.fingerprint} of ${file}. ` +
      'Runtimes need it in SEALING_KEY_FILE from their next start, and all must have started with it before the next "npm run keys:rotate". ' +
      'Nobody but them knows their keys: "npm run doctor" with the settings of each names those in its files. ' +
      'Keep the previous one as long as backups need it.',
  )
  end(0)
}

function readFileArgument(): string {
  try {
    const { to } = parseArgs({ options: { to: { type: 'string' } } }).values
    if (to !== undefined) return resolve(to)
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
  throw new SettingsError(`The file of the new sealing key is missing. Usage: ${USAGE}`)
}

await runProgram(main)
