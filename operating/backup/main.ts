import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { joinServer } from '#database/join.ts'
import { createLog, fieldsFirst } from '#http-kit/log.ts'
import { runProgram } from '#http-kit/program.ts'
import type { Program } from '#http-kit/program.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { readSealingKeys } from '#runtime/keys/sealing-key.ts'
import { readDeployment } from '../deployment.ts'
import { describeProduct, thisProduct } from '../version.ts'
import { collectKeys, missingSealingKeys, writeKeys } from './keys.ts'
import { writeBackup } from './write-backup.ts'

const USAGE = 'npm run backup -- --out FILE (--keys FILE | --without-keys)'

/** Backs up the database of this environment to one file, and its keys to another, while programs run. */
async function main({ onStop, end }: Program): Promise<void> {
  const { out, keys } = readArguments()
  for (const file of [out, keys]) if (file !== null) refuseUnusable(file)
  const { dataDir, database, runtime, console: settings } = readDeployment(process.env)
  const assertionKeyFile = settings?.assertionKeyFile ?? null
  const sealingKeyFiles = runtime?.sealingKeyFiles ?? []
  const collected = keys === null ? {} : await collectKeys({ dataDir, sealingKeyFiles, assertionKeyFile })
  const present = await readSealingKeys({ dataDir, files: sealingKeyFiles })
  const log = createLog({ name: 'backup', level: 'warn' })
  const databaseUrl = database.directUrl ?? database.url
  const server = await joinServer({
    databaseUrl,
    dataDir,
    log: fieldsFirst(log),
    waitMs: database.waitMs,
  })
  onStop(() => server.stop())
  const product = await thisProduct()
  const { tables, rows, sealingKeys } = await writeBackup({
    connection: server.connection,
    file: out,
    product,
    keys: present,
  })
  if (!present.some(({ fingerprint }) => sealingKeys.includes(fingerprint)))
    console.log(
      'A restore cannot tell whether somebody changes this backup: name the sealing key in SEALING_KEY_FILE, and back up again.',
    )
  console.log(
    `${out} contains ${tables} tables with ${rows.toLocaleString('en')} rows (${describeProduct(product)}).`,
  )
  if (keys === null)
    console.log('Its sensitive values need the sealing key of today; keep that in another place.')
  else {
    await writeKeys(collected, keys)
    console.log(
      `${keys} contains ${Object.keys(collected).join(', ')}. Keep it in another place than the backup.`,
    )
    const missing = missingSealingKeys(collected, sealingKeys)
    if (missing.length > 0)
      return end(
        1,
        `The backup needs the sealing key ${missing.join(' and ')}, which this environment does not have. ` +
          'Name its file in SEALING_KEY_FILE, and back up again.',
      )
  }
  end(0)
}

function refuseUnusable(file: string): void {
  if (existsSync(file)) throw new SettingsError(`${file} exists; name a new file`)
  const folder = dirname(file)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new SettingsError(
      `${file} cannot be written: there is no directory ${folder}; create it, or name another file`,
    )
}

function readArguments(): { out: string; keys: string | null } {
  try {
    const { values } = parseArgs({
      options: { out: { type: 'string' }, keys: { type: 'string' }, 'without-keys': { type: 'boolean' } },
    })
    if (values.out !== undefined && (values.keys === undefined) === (values['without-keys'] === true))
      return { out: resolve(values.out), keys: values.keys === undefined ? null : resolve(values.keys) }
  } catch (error) {
    throw new SettingsError(`${error instanceof Error ? error.message : String(error)}. Usage: ${USAGE}`)
  }
  throw new SettingsError(`Name the file of the backup, and that of the keys. Usage: ${USAGE}`)
}

await runProgram(main)
