import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { countValidTokens } from '#bff/store/service-accounts.ts'
import type { BffTables } from '#bff/store/tables.ts'
import { openServer } from '#database/open.ts'
import { openDatabase, UNLIMITED_MS } from '#database/pool.ts'
import { createLog, fieldsFirst } from '#http-kit/log.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { systemClock } from '#http-kit/clock.ts'
import { authenticityOf } from '#runtime/keys/authentication.ts'
import { Keyring } from '#runtime/keys/keyring.ts'
import { openVault } from '#runtime/keys/open-vault.ts'
import { readSealingKeys } from '#runtime/keys/sealing-key.ts'
import type { SealingKey } from '#runtime/keys/sealing-key.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { recoverDatabase } from '#runtime/use-cases/overview/recovery.ts'
import { verifyChain } from '#runtime/use-cases/audit/verify-chain.ts'
import { authenticatedText } from '../backup/format.ts'
import type { Trailer } from '../backup/format.ts'
import { missingSealingKeys, readKeys, restoreKeys } from '../backup/keys.ts'
import { readBackup } from '../backup/read-backup.ts'
import { restoreDatabase, SCHEMAS } from '../backup/restore-database.ts'
import { removeRestoreMarker } from '../backup/restore-marker.ts'
import { readDeployment } from '../deployment.ts'
import { listInDoubt } from '../recover/list-in-doubt.ts'
import { describeProduct } from '../version.ts'

const USAGE = 'npm run restore -- --from FILE [--keys FILE] [--unauthenticated]'

/** Restores a backup into an empty deployment, verifies it, and prepares it for a start. Overwrites nothing. */
async function main({ onStop, end, ending }: Program): Promise<void> {
  const { from, keys, isUnauthenticated } = readArguments()
  const { dataDir, database, runtime } = readDeployment(process.env)
  const cluster = join(dataDir, 'postgresql')
  const refuseExisting = (): void => {
    if (database.url === null && existsSync(cluster))
      throw new SettingsError(
        `DATA_DIR ${dataDir} already has a database. Nothing is overwritten: restore into an empty DATA_DIR.`,
      )
  }
  refuseExisting()
  const { sealingKeys, trailer } = await checkBackup(from)
  const keysToRestore = keys === null ? null : await readKeys(keys, dataDir, sealingKeys)
  const restoredFiles = keysToRestore === null ? [] : await restoreKeys(keysToRestore, dataDir)
  const configured = runtime?.sealingKeyFiles ?? []
  const files = configured.length > 0 ? configured : restoredFiles
  const present = await readSealingKeys({ dataDir, files })
  const missing = sealingKeys.filter((fingerprint) => !present.some((key) => key.fingerprint === fingerprint))
  if (missing.length > 0)
    throw new SettingsError(
      `The backup needs the sealing key ${missing.join(' and ')}${
        keysToRestore === null || missingSealingKeys(keysToRestore, missing).length > 0
          ? ': name its file in --keys or SEALING_KEY_FILE'
          : `, and SEALING_KEY_FILE has another one. The keys of --keys are in ${restoredFiles.join(' and ')} now: copy them to SEALING_KEY_FILE, then restore again`
      }`,
    )

  refuseChanged(trailer, { present, isUnauthenticated })

  const log = createLog({ name: 'restore', level: 'warn' })
  const databaseUrl = database.directUrl ?? database.url
  // again, because reading the backup took a while
  refuseExisting()
  const server = await openServer({
    databaseUrl,
    dataDir,
    log: fieldsFirst(log),
    waitMs: database.waitMs,
    signal: ending,
  })
  let isComplete = false
  onStop(async () => {
    await server.stop()
    if (server.isExclusive && !isComplete) await rm(cluster, { recursive: true, force: true })
  })
  const { header, rows } = await restoreDatabase(server.connection, from, trailer)
  console.log(`${rows.toLocaleString('en')} rows of ${header.at} (${describeProduct(header)}) are restored.`)

  const opened = openDatabase<RuntimeTables & BffTables>(server.connection, {
    max: 2,
    statementTimeoutMs: UNLIMITED_MS,
    applicationName: 'bundle-console-restore',
  })
  onStop(opened.close)
  const { db } = opened
  if (sealingKeys.length > 0) {
    await openVault(new Keyring(systemClock), db, { dataDir, files })
    console.log('The sealing key opens the values of the backup.')
  }
  const { at, version, build = null } = header
  const backup = { at, version, build }
  const recovery = await recoverDatabase(db, { because: 'BACKUP_RESTORED', backup }, { isForced: true })
  await removeRestoreMarker(opened.pool, SCHEMAS)
  isComplete = true
  console.log(
    `The execution sequences of ${recovery?.installations ?? 0} installations and the snapshot versions of ${recovery?.scopes ?? 0} scopes are increased, so that none is used twice.`,
  )
  console.log('The restore is complete.')
  console.log(await listInDoubt(db))
  const tokens = await countValidTokens(db, systemClock.now())
  if (tokens > 0)
    console.log(
      `Nobody is signed in, but ${tokens} tokens of service accounts are valid, also those that were revoked since the backup: revoke these again.`,
    )
  const verdict = await verifyChain(db, [])
  if (!verdict.holds)
    return end(
      1,
      `The programs can start, but the audit log of the backup is not valid: ${verdict.problem}. See docs/operating/audit.md.`,
    )
  console.log('The audit log is valid.')
  end(0)
}

/**
 * Reads the whole file once, so that nothing is created for one that cannot be restored. Returns the fingerprints of the
 * sealing keys that it needs, and its trailer.
 */
async function checkBackup(file: string): Promise<{ sealingKeys: string[]; trailer: Trailer }> {
  let sealingKeys: string[] = []
  let trailer: Trailer | null = null
  for await (const part of readBackup(file)) {
    if (part.kind === 'header') ({ sealingKeys } = part.header)
    if (part.kind === 'trailer') ({ trailer } = part)
  }
  if (trailer === null) throw new Error('The backup is empty. Use another one.')
  return { sealingKeys, trailer }
}

/** A changed backup could send the opened secrets elsewhere: addresses of plugins are not sealed. */
function refuseChanged(
  trailer: Trailer,
  { present, isUnauthenticated }: { present: readonly SealingKey[]; isUnauthenticated: boolean },
): void {
  const text = authenticatedText(trailer)
  const authenticity = authenticityOf(trailer.authentication, present, { purpose: 'backup', text })
  if (authenticity === 'forged')
    throw new SettingsError('The backup was changed by somebody without the sealing key. Use another one.')
  if (authenticity === 'unknown' && !isUnauthenticated)
    throw new SettingsError(
      'The backup has no authentication code for the sealing keys of this environment, so anybody may have changed it. ' +
        'If you know where it has been since it was made, add --unauthenticated.',
    )
}

function readArguments(): { from: string; keys: string | null; isUnauthenticated: boolean } {
  try {
    const { from, keys, unauthenticated } = parseArgs({
      options: { from: { type: 'string' }, keys: { type: 'string' }, unauthenticated: { type: 'boolean' } },
    }).values
    if (from !== undefined)
      return {
        from: resolve(from),
        keys: keys === undefined ? null : resolve(keys),
        isUnauthenticated: unauthenticated === true,
      }
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
  throw new SettingsError(`The file of the backup is missing. Usage: ${USAGE}`)
}

await runProgram(main)
