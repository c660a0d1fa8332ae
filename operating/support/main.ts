import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { explainFailedWrite, SettingsError } from '#http-kit/settings.ts'
import { collectSupportBundle } from './collect.ts'

const USAGE = 'npm run support:bundle -- --out FILE.json'

/** Writes a masked description of the deployment of this environment to a file. */
async function main({ end }: Program): Promise<void> {
  const out = readArguments()
  const text = await collectSupportBundle(process.env)
  await writeFile(out, text, { mode: 0o600, flag: 'wx' }).catch(explainFailedWrite(out))
  console.log(
    `${out} describes this deployment without secrets, values or names of people. Read it before you send it.`,
  )
  end(0)
}

function readArguments(): string {
  try {
    const { out } = parseArgs({ options: { out: { type: 'string' } } }).values
    if (out !== undefined) return out
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
  throw new SettingsError(`The file of the support bundle is missing. Usage: ${USAGE}`)
}

await runProgram(main)
