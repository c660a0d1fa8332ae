import { parseArgs } from 'node:util'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { openForCommand } from './open-for-command.ts'
import { loadSealingKeys } from '../keys/open-vault.ts'
import { explainMissingKeys, rotateDataKey } from '../keys/rotate.ts'

/** Makes a new data key the current one; the runtimes reseal the data. */
async function main({ onStop, end }: Program): Promise<void> {
  try {
    parseArgs({ options: {} })
  } catch (error) {
    throw new SettingsError(
      `${error instanceof Error ? error.message : String(error)}. Usage: npm run keys:rotate`,
    )
  }
  const { settings, db } = await openForCommand(onStop, 'keys-rotate')
  const sealingKeys = await loadSealingKeys({ dataDir: settings.dataDir, files: settings.sealingKeyFiles })
  const { from, to } = await rotateDataKey(db, sealingKeys).catch(explainMissingKeys)
  console.log(
    `Data key ${to.id} is now the current one. Running replicas load it within a minute, reseal the data of data key ${from.id}, ` +
      `and delete that key when nothing needs it anymore, after a day at the earliest. Those that have started without the sealing key ${to.fingerprint} are not ready from then on.`,
  )
  end(0)
}

await runProgram(main)
