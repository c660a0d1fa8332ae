import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { chmod, copyFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { openDatabase } from '#database/pool.ts'
import type { Database } from '#database/pool.ts'
import { testDatabase } from '#database/testing.ts'
import type { TestDatabase } from '#database/testing.ts'
import { systemClock } from '#http-kit/clock.ts'
import { SettingsError } from '#http-kit/settings.ts'
import { RUNTIME_MIGRATIONS } from '../store/migrations.ts'
import type { RuntimeTables } from '../model/tables.ts'
import { Keyring } from './keyring.ts'
import { openVault } from './open-vault.ts'

const PLACE = ['somewhere']
const SECRET = Buffer.from('secret')

let server: TestDatabase
let database: Database<RuntimeTables>
let root: string
before(async () => {
  server = await testDatabase({ migrations: [RUNTIME_MIGRATIONS] })
  database = openDatabase<RuntimeTables>(server.connection)
  root = await mkdtemp(join(tmpdir(), 'sealing-'))
})
after(async () => {
  await database.close()
  await server.close()
  await rm(root, { recursive: true })
})
beforeEach(() => database.db.deleteFrom('runtime.data_key').execute())

let directories = 0
const freshDirectory = (): string => join(root, `data-${directories++}`)

async function open(dataDir: string, ...files: string[]): Promise<Keyring> {
  const keyring = new Keyring(systemClock)
  await openVault(keyring, database.db, { dataDir, files })
  return keyring
}

/** The error is one line that says what is wrong and reveals nothing about a key. */
function refuses(start: Promise<unknown>, ...parts: (string | RegExp)[]): Promise<void> {
  return assert.rejects(start, (error) => {
    assert(error instanceof SettingsError, String(error))
    assert(!error.message.includes('\n'))
    for (const part of parts) assert.match(error.message, new RegExp(part))
    return true
  })
}

async function keyFile(mode = 0o600, text = `${randomBytes(32).toString('base64')}\n`): Promise<string> {
  const file = join(root, `key-${directories++}`)
  await writeFile(file, text)
  await chmod(file, mode)
  return file
}

describe('the sealing key', () => {
  it('is created once on a new database, readable by its owner only, and opens at the next start', async () => {
    const dataDir = freshDirectory()
    const vaults = await Promise.all([open(dataDir), open(dataDir), open(dataDir)])
    const sealed = vaults[0].seal(SECRET, PLACE)
    for (const vault of [...vaults, await open(dataDir)]) assert.deepEqual(vault.open(sealed, PLACE), SECRET)
    assert.deepEqual(await readdir(dataDir), ['sealing.key'])
    assert.equal((await stat(join(dataDir, 'sealing.key'))).mode & 0o777, 0o600)
    const rows = await database.db.selectFrom('runtime.data_key').selectAll().execute()
    assert.equal(rows.length, 1)
  })

  it('may be configured as a file, and then none is created', async () => {
    const dataDir = freshDirectory()
    const file = await keyFile(0o440)
    const sealed = (await open(dataDir, file)).seal(SECRET, PLACE)
    assert.deepEqual((await open(freshDirectory(), file)).open(sealed, PLACE), SECRET)
    await assert.rejects(stat(dataDir))
  })

  it('is kept after a start that ended before the data key was created', async () => {
    const dataDir = freshDirectory()
    await open(dataDir)
    await database.db.deleteFrom('runtime.data_key').execute()
    const sealed = (await open(dataDir)).seal(SECRET, PLACE)
    assert.deepEqual((await open(dataDir)).open(sealed, PLACE), SECRET)
  })
})

describe('a start is refused', () => {
  it('when the key of the database is missing, and no key is created', async () => {
    await open(freshDirectory())
    const dataDir = freshDirectory()
    await refuses(open(dataDir), `${dataDir}/sealing.key is missing`, 'SEALING_KEY_FILE')
    await assert.rejects(stat(dataDir))
  })

  it('when the key belongs to another database', async () => {
    const dataDir = freshDirectory()
    await open(dataDir)
    const other = await keyFile()
    await refuses(open(dataDir, other), other, 'does not open', /need the sealing key [0-9a-f]{16}/)
    await copyFile(other, join(dataDir, 'sealing.key'))
    await refuses(open(dataDir), `${dataDir}/sealing.key`, 'does not open')
  })

  it('when the file cannot be used', async () => {
    const dataDir = freshDirectory()
    await refuses(open(dataDir, join(root, 'missing')), 'SEALING_KEY_FILE', 'does not exist; restore it')
    await refuses(open(dataDir, root), 'SEALING_KEY_FILE', 'is a directory; name a file')
    for (const mode of [0o604, 0o666, 0o620])
      await refuses(open(dataDir, await keyFile(mode)), 'SEALING_KEY_FILE', 'chmod 600')
    for (const text of ['', 'short', randomBytes(31).toString('base64'), randomBytes(32).toString('hex')])
      await refuses(open(dataDir, await keyFile(0o600, text)), 'is not a sealing key')
    const rows = await database.db.selectFrom('runtime.data_key').selectAll().execute()
    assert.equal(rows.length, 0)
  })

  it('when a data key was changed in the database', async () => {
    const dataDir = freshDirectory()
    await open(dataDir)
    await database.db
      .updateTable('runtime.data_key')
      .set({ wrapped: randomBytes(60) })
      .execute()
    await refuses(open(dataDir), 'damaged')
  })
})
