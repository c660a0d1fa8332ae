import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import { PlatformKey } from '#contract/runtime-api/platform-keys.ts'
import { isPgError, PG } from '#database/transaction.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { explainFailedWrite, SettingsError } from '#http-kit/settings.ts'
import { openForCommand } from './open-for-command.ts'
import { readRuntimeSettings } from '../config.ts'
import { authenticityBy, platformKeysOf, signaturesOf } from '../keys/platform-keys.ts'
import { readSealingKeys } from '../keys/sealing-key.ts'
import {
  ANCHOR_FILE,
  anchorText,
  appendAnchor,
  readAnchors,
  signaturesIn,
  signedAnchor,
  verifyChain,
} from '../use-cases/audit/verify-chain.ts'
import type { Anchor, ChainVerdict } from '../use-cases/audit/verify-chain.ts'

const USAGE = 'npm run audit:verify [-- [--anchors FILE] [--export FILE] [--keys FILE]]'

/** Verifies the whole audit, prints the result in one line, and exits with 1 if the audit is broken. */
async function main({ onStop, end }: Program): Promise<void> {
  const files = readArguments()
  const { dataDir, database, sealingKeyFiles } = readRuntimeSettings(process.env)
  const kept = join(dataDir, ANCHOR_FILE)
  const isEmbedded = database.url === null && existsSync(kept)
  const file = files.anchors ?? (isEmbedded ? kept : undefined)
  const anchors = file === undefined ? [] : await readAnchors(file)
  const sealingKeys = await readSealingKeys({ dataDir, files: sealingKeyFiles })
  const keys = [
    ...platformKeysOf(sealingKeys),
    ...(files.keys === undefined ? [] : await readKeys(files.keys)),
  ]
  const authenticity = (anchor: Anchor) =>
    authenticityBy(keys, signaturesIn(anchor), { kind: 'audit anchor', text: anchorText(anchor) })
  const forged = anchors.find((anchor) => authenticity(anchor) === 'forged')
  if (forged !== undefined)
    return end(1, `The anchor of entry ${forged.sequence} was not written by this platform.`)
  const authentic =
    keys.length === 0
      ? anchors.length
      : anchors.filter((anchor) => authenticity(anchor) === 'authentic').length

  const { db } = await openForCommand(onStop, 'audit-verify')
  const verdict = await verifyChain(db, anchors).catch(explainMissingChain)
  if (!verdict.holds) return end(1, `The audit is broken: ${verdict.problem}.`)
  console.log(`The audit holds: ${inWords(verdict, { anchors: anchors.length, authentic })}.`)
  if (files.export !== undefined && verdict.last !== null) {
    const { sequence, hash, at } = verdict.last
    const anchor = { sequence, hash: hash.toString('hex'), at }
    await appendAnchor(
      files.export,
      signedAnchor(anchor, (kind, signed) => signaturesOf(sealingKeys, kind, signed)),
    ).catch(explainFailedWrite(files.export))
    console.log(`Its anchor was added to ${files.export}: entry ${sequence}.`)
  }
  end(0)
}

function readArguments(): Partial<Record<'anchors' | 'export' | 'keys', string | undefined>> {
  try {
    return parseArgs({
      options: { anchors: { type: 'string' }, export: { type: 'string' }, keys: { type: 'string' } },
    }).values
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

/** The response of `GET /platform-keys`, kept in a file. */
async function readKeys(file: string): Promise<PlatformKey[]> {
  try {
    return z.object({ keys: z.array(PlatformKey) }).parse(JSON.parse(await readFile(file, 'utf8'))).keys
  } catch (error) {
    throw new SettingsError(
      `${file} has no platform keys: save the response of GET /api/platform-keys there`,
      {
        cause: error,
      },
    )
  }
}

function inWords(
  { first, last }: Extract<ChainVerdict, { holds: true }>,
  { anchors, authentic }: { anchors: number; authentic: number },
): string {
  if (first === null || last === null) return 'it has no entries'
  const entries = last.sequence === 1 ? '1 entry' : `${last.sequence} entries`
  const signed = authentic === anchors ? '' : ` (${anchors - authentic} without a signature of these keys)`
  const met = anchors === 0 ? '' : `, and ${anchors === 1 ? 'the anchor' : `all ${anchors} anchors`}${signed}`
  return `${entries}, from 1 of ${first.at} to ${last.sequence} of ${last.at}, each in its place${met}`
}

await runProgram(main)
