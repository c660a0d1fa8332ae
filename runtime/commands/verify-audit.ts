import { parseArgs } from 'node:util'
import { isPgError, PG } from '#database/transaction.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { openForCommand } from './open-for-command.ts'
import { appendAnchor, readAnchors, verifyChain } from '../use-cases/audit/verify-chain.ts'
import type { ChainVerdict } from '../use-cases/audit/verify-chain.ts'

const USAGE = 'npm run audit:verify [-- [--anchors FILE] [--export FILE]]'

/** Verifies the whole audit, prints the result in one line, and exits with 1 if the audit is broken. */
async function main({ onStop, end }: Program): Promise<void> {
  const files = readArguments()
  const anchors = files.anchors === undefined ? [] : await readAnchors(files.anchors)

  const { db } = await openForCommand(onStop, 'audit-verify')
  const verdict = await verifyChain(db, anchors).catch(explainMissingChain)
  if (!verdict.holds) return end(1, `The audit is broken: ${verdict.problem}.`)
  console.log(`The audit holds: ${inWords(verdict, anchors.length)}.`)
  if (files.export !== undefined && verdict.last !== null) {
    const { sequence, hash, at } = verdict.last
    await appendAnchor(files.export, { sequence, hash: hash.toString('hex'), at })
    console.log(`Its anchor was added to ${files.export}: entry ${sequence}.`)
  }
  end(0)
}

function readArguments(): { anchors?: string | undefined; export?: string | undefined } {
  try {
    return parseArgs({ options: { anchors: { type: 'string' }, export: { type: 'string' } } }).values
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
}

function explainMissingChain(error: unknown): never {
  if (!isPgError(error, PG.undefinedTable) && !isPgError(error, PG.undefinedColumn)) throw error
  throw new SettingsError(
    'This database has no audit chain of this version; a runtime of this version creates it when it starts',
    {
      cause: error,
    },
  )
}

function inWords({ first, last }: Extract<ChainVerdict, { holds: true }>, anchors: number): string {
  if (first === null || last === null) return 'it has no entries'
  const entries = last.sequence === 1 ? '1 entry' : `${last.sequence} entries`
  const met = anchors === 0 ? '' : `, and ${anchors === 1 ? 'the anchor' : `all ${anchors} anchors`}`
  return `${entries}, from 1 of ${first.at} to ${last.sequence} of ${last.at}, each in its place${met}`
}

await runProgram(main)
