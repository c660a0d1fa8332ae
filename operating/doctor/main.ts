import { parseArgs } from 'node:util'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { examine } from './examine.ts'
import { exitCodeOf, linesOf } from './finding.ts'

const USAGE = 'npm run doctor [-- --json]'

/** Examines the deployment of this environment, prints a line for each check, and exits with 1 if one fails. */
async function main({ end }: Program): Promise<void> {
  const isJson = readArguments()
  const findings = await examine(process.env)
  console.log(isJson ? JSON.stringify(findings, null, 2) : linesOf(findings))
  end(exitCodeOf(findings))
}

function readArguments(): boolean {
  try {
    return parseArgs({ options: { json: { type: 'boolean' } } }).values.json ?? false
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
}

await runProgram(main)
