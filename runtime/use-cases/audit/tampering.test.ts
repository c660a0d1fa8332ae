import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import { readChain, readHead } from '../../store/audit.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { inTransaction } from '#database/transaction.ts'
import { createLog } from '#http-kit/log.ts'
import { BARE_ENVIRONMENT } from '#http-kit/testing-programs.ts'
import { authenticityBy, platformKeysOf } from '../../keys/platform-keys.ts'
import { startJanitor } from '../../janitor.ts'
import { testRuntime } from '../../testing/runtime.ts'
import {
  Anchor,
  anchorText,
  entryHash,
  NO_HASH,
  readAnchors,
  signaturesIn,
  verifyChain,
} from './verify-chain.ts'
import { recordAudit } from './record.ts'
import { ACTOR, testAudit } from '../../testing/audit.ts'
import type { TestAudit } from '../../testing/audit.ts'

// A superuser drops the triggers and then changes entries: the verification must find each of these changes.

let audit: TestAudit
before(async () => {
  audit = await testAudit()
})
after(() => audit.close())
beforeEach(async () => {
  await tamper(
    'delete from runtime.audit_entry',
    `update runtime.audit_head set sequence = 0, hash = '\\x${'00'.repeat(32)}'`,
  )
  await audit.write('one', 'two', 'three', 'four', 'five')
})

const TABLES = ['audit_entry', 'audit_head']
async function tamper(...statements: string[]): Promise<void> {
  for (const table of TABLES)
    await sql.raw(`alter table runtime.${table} disable trigger all`).execute(audit.db)
  for (const statement of statements) await sql.raw(statement).execute(audit.db)
  for (const table of TABLES)
    await sql.raw(`alter table runtime.${table} enable trigger all`).execute(audit.db)
}

async function anchorOfNow(): Promise<Anchor> {
  const { sequence, hash } = await readHead(audit.db)
  return { sequence, hash: hash.toString('hex') }
}

async function assertBroken(problem: RegExp, anchors: Anchor[] = []): Promise<void> {
  const verdict = await verifyChain(audit.db, anchors)
  assert.equal(verdict.holds, false)
  assert.match(verdict.problem, problem)
}

const cut = ['delete from runtime.audit_entry where sequence > 3']
const moveHead = (sequence: number) =>
  `update runtime.audit_head set (sequence, hash) =
    (select sequence, hash from runtime.audit_entry where sequence = ${sequence})`

/** Recomputes all hashes from the current entries, as an attacker would who knows how they are computed. */
async function rechain(): Promise<void> {
  const statements: string[] = []
  let previous: Buffer = NO_HASH
  for (const entry of await readChain(audit.db, null, 100)) {
    const hash = entryHash({ ...entry, previous_hash: previous })
    statements.push(`update runtime.audit_entry
      set previous_hash = '\\x${previous.toString('hex')}', hash = '\\x${hash.toString('hex')}'
      where sequence = ${entry.sequence}`)
    previous = hash
  }
  const { length } = statements
  await tamper(...statements, moveHead(length))
}

describe('the audit verification finds', () => {
  it('each changed column of an entry', async () => {
    const columns = {
      at: `at + interval '1 microsecond'`,
      actor_id: `'eve'`,
      actor_name: `'Eve'`,
      action: `'service.save'`,
      subject: `'twelve'`,
      environment_key: `'prod'`,
      application_runtime_id: `'shop'`,
      workspace_id: '7',
      bundle_install_id: `'0199f000-0000-7000-8000-000000000001'`,
      operation_id: `'0199f000-0000-7000-8000-000000000001'`,
      reason: `''`,
      changes: `'[ ]'`,
      outcome: `'REFUSED'`,
      request_id: `'request-2'`,
      format: '1',
      actor_issuer: `'https://idp.test'`,
      client_address: `'10.0.0.1'`,
      error_code: `'NOT_FOUND'`,
      occurrence_count: '2',
      first_occurred_at: 'at',
      last_occurred_at: 'at',
      previous_hash: 'hash',
      hash: 'previous_hash',
    }
    const known = await sql<{ name: string }>`
      select column_name as name from information_schema.columns
      where table_schema = 'runtime' and table_name = 'audit_entry' and column_name <> 'sequence'`.execute(
      audit.db,
    )
    assert.deepEqual(Object.keys(columns).toSorted(), known.rows.map(({ name }) => name).toSorted())
    for (const [column, changed] of Object.entries(columns)) {
      await tamper(`create table runtime.kept as table runtime.audit_entry`)
      await tamper(`update runtime.audit_entry set ${column} = ${changed} where sequence = 2`)
      await assertBroken(/^entry 2 of .* does not match its hash/)
      await tamper(
        'delete from runtime.audit_entry',
        'insert into runtime.audit_entry select * from runtime.kept',
        'drop table runtime.kept',
      )
      assert.equal((await verifyChain(audit.db)).holds, true)
    }
  })

  it('a missing entry (G10)', async () => {
    await tamper('delete from runtime.audit_entry where sequence = 1')
    await assertBroken(/^entry 1 is missing$/)
    await tamper('delete from runtime.audit_entry where sequence = 3')
    await assertBroken(/^entry 1 is missing$/)
  })

  it('a closed gap', async () => {
    await tamper(
      'delete from runtime.audit_entry where sequence = 3',
      'update runtime.audit_entry set sequence = 3 where sequence = 4',
      'update runtime.audit_entry set sequence = 4 where sequence = 5',
      moveHead(4),
    )
    await assertBroken(/^entry 3 of .* does not match its hash/)
  })

  it('two swapped entries (G10)', async () => {
    await tamper(
      'update runtime.audit_entry set sequence = 99 where sequence = 2',
      'update runtime.audit_entry set sequence = 2 where sequence = 3',
      'update runtime.audit_entry set sequence = 3 where sequence = 99',
    )
    await assertBroken(/^entry 2 of .* does not match its hash: it was changed or moved/)
  })

  it('an inserted entry: before the first, after the last, or in place of another (G10)', async () => {
    const columns = `at, actor_id, actor_name, action, subject, environment_key, application_runtime_id,
      workspace_id, bundle_install_id, operation_id, reason, changes, outcome, request_id, previous_hash, hash`
    const copy = (sequence: number) => `insert into runtime.audit_entry (sequence, ${columns})
      select ${sequence}, ${columns}
      from runtime.audit_entry where sequence = 5`
    await tamper(copy(0))
    await assertBroken(/^there is an entry 0/)
    await tamper('delete from runtime.audit_entry where sequence = 0', copy(6))
    await assertBroken(/^entry 6 of .* does not match its hash/)
    // with a correct hash
    const [six] = await readChain(audit.db, 5, 1)
    assert.ok(six)
    await tamper(
      `update runtime.audit_entry set hash = '\\x${entryHash(six).toString('hex')}' where sequence = 6`,
    )
    await assertBroken(/^entry 6 of .* does not follow entry 5: one of them was replaced$/)
    await rechain()
    await tamper(moveHead(5))
    await assertBroken(/^entry 6 is after the end of the chain, which is entry 5$/)
  })

  it('a change of an entry among many large ones, of which it reads a few at a time (G10)', async () => {
    const large = { locator: null, property: 'text', before: null, after: wrapData('x'.repeat(1_500_000)) }
    for (let count = 0; count < 5; count++)
      await inTransaction(audit.db, (tx) =>
        recordAudit(tx, ACTOR, { action: 'plugin.save', subject: 'large', changes: [large] }),
      )
    const read = await readChain(audit.db, 5, 100)
    assert.deepEqual(
      read.map(({ sequence }) => sequence),
      [6, 7, 8],
    )
    assert.equal((await verifyChain(audit.db)).holds, true)
    await tamper(`update runtime.audit_entry set subject = 'other' where sequence = 10`)
    await assertBroken(/^entry 10 of .* does not match its hash/)
  })

  it('a truncated end, with and without its head (G10)', async () => {
    const anchor = await anchorOfNow()
    await tamper(...cut)
    await assertBroken(/^the chain ends with entry 3 instead of entry 5: its end was removed$/)
    await tamper(moveHead(3))
    assert.equal((await verifyChain(audit.db)).holds, true)
    await assertBroken(/^the chain ends with entry 3, but an anchor names entry 5: its end was removed$/, [
      anchor,
    ])
  })

  it('a head that does not match the chain', async () => {
    await tamper(`update runtime.audit_head set hash = sha256('another')`)
    await assertBroken(/^the last entry 5 does not match the head/)
  })

  it('that all entries were deleted', async () => {
    await tamper('delete from runtime.audit_entry')
    await assertBroken(/^the chain ends with entry 0 instead of entry 5/)
  })

  it('with an anchor, that the chain was recomputed after a change (G10)', async () => {
    const early = await verifyChain(audit.db)
    assert.ok(early.holds && early.first)
    const first = { sequence: 1, hash: early.first.hash.toString('hex') }
    const last = await anchorOfNow()
    await tamper(`update runtime.audit_entry set actor_id = 'eve' where sequence = 4`)
    await rechain()
    assert.equal((await verifyChain(audit.db, [first])).holds, true)
    await assertBroken(/^entry 5 of .* does not match its anchor/, [first, last])
  })
})

describe('the log', () => {
  it('contains an anchor of the audit from the start of a replica on, signed (G10)', async () => {
    const runtime = await testRuntime()
    await runtime.write(({ tx, actor }) => recordAudit(tx, actor, { action: 'plugin.save', subject: 'one' }))
    const logged = Promise.withResolvers<string>()
    const log = createLog({ name: 'test', level: 'info', stream: { write: logged.resolve } })
    const folder = await mkdtemp(join(tmpdir(), 'anchor-'))
    const janitor = startJanitor({ ...runtime.deps, log }, { kid: 'k', kty: 'OKP' }, join(folder, 'anchors'))
    const line = await logged.promise
    await janitor.stop()
    const { sequence, hash } = await readHead(runtime.db)
    const { msg, ...fields } = JSON.parse(line) as { msg: string }
    assert.equal(msg, 'audit anchor')
    const { signatures = '', ...anchor } = Anchor.parse(fields)
    assert.deepEqual(anchor, { sequence, hash: hash.toString('hex') })
    const signed = { kind: 'audit anchor', text: anchorText(anchor) } as const
    const keys = runtime.deps.vault.platformKeys()
    assert.equal(authenticityBy(keys, signaturesIn({ ...anchor, signatures }), signed), 'authentic')
    assert.deepEqual(await readAnchors(join(folder, 'anchors')), [{ ...anchor, signatures }])
    await rm(folder, { recursive: true })
    await runtime.close()
  })
})

describe('npm run audit:verify', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'anchors-'))
  })
  after(() => rm(folder, { recursive: true }))

  async function run(options: string[], env: Record<string, string> = { DATABASE_URL: audit.url }) {
    const program = fileURLToPath(new URL('../../commands/verify-audit.ts', import.meta.url))
    const child = spawn(process.execPath, [program, ...options], {
      env: { ...BARE_ENVIRONMENT, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, stdout, stderr }
  }

  it('reports that the audit is valid, and writes anchors for later runs', async () => {
    const file = join(folder, 'anchors')
    const good = await run(['--export', file])
    assert.equal(good.code, 0, good.stderr)
    assert.match(
      good.stdout,
      /^The audit holds: 5 entries, from 1 of \S+Z to 5 of \S+Z, each in its place\.\n/,
    )
    const [line] = (await readFile(file, 'utf8')).split('\n')
    const { at, ...anchor } = JSON.parse(line ?? '') as Anchor
    assert.deepEqual(anchor, await anchorOfNow())
    assert.match(at ?? '', /^\d{4}-/)

    await audit.write('six')
    const later = await run(['--anchors', file, '--export', file])
    assert.match(later.stdout, /6 entries.*, and the anchor\.\n.*entry 6/)
    await tamper(...cut, moveHead(3))
    assert.deepEqual(await run(['--anchors', file, '--export', file]), {
      code: 1,
      stdout: '',
      stderr:
        'The audit is broken: the chain ends with entry 3, but an anchor names entry 5: its end was removed.\n',
    })
    assert.equal((await readFile(file, 'utf8')).split('\n').length, 3)
  })

  it('accepts log lines as anchors, and reports a line that is none', async () => {
    const file = join(folder, 'log')
    const logged = {
      level: 30,
      time: 'x',
      name: 'bundle-runtime',
      ...(await anchorOfNow()),
      msg: 'audit anchor',
    }
    await writeFile(file, `${JSON.stringify(logged)}\n`)
    assert.equal((await run(['--anchors', file])).code, 0)
    await writeFile(file, `${JSON.stringify(logged)}\n{"sequence":"1"}\n`)
    const { code, stderr } = await run(['--anchors', file])
    assert.equal(code, 1)
    assert.match(stderr, /^\S+log:2 is not an anchor/)
  })

  it('finds an anchor that somebody without the sealing key has written (G10)', async () => {
    const key = join(folder, 'sealing.key')
    await writeFile(key, randomBytes(32).toString('base64'), { mode: 0o600 })
    const env = { DATABASE_URL: audit.url, DATA_DIR: folder, SEALING_KEY_FILE: key }
    const file = join(folder, 'signed')
    assert.equal((await run(['--export', file], env)).code, 0)
    const good = await run(['--anchors', file], env)
    assert.match(good.stdout, /and the anchor\.\n$/)
    const anchor = JSON.parse(await readFile(file, 'utf8')) as Anchor
    // an auditor with the public keys alone finds the same
    const keys = join(folder, 'platform-keys.json')
    const sealing = { key: Buffer.from(await readFile(key, 'utf8'), 'base64') }
    await writeFile(keys, JSON.stringify({ keys: platformKeysOf([sealing]) }))
    const outside = { DATABASE_URL: audit.url, DATA_DIR: join(folder, 'empty') }
    assert.match((await run(['--anchors', file, '--keys', keys], outside)).stdout, /and the anchor\.\n$/)
    // who can write to the file replaces its number and hash, and keeps the signature
    await writeFile(file, `${JSON.stringify({ ...anchor, hash: 'a'.repeat(64) })}\n`)
    for (const [options, environment] of [
      [[], env],
      [['--keys', keys], outside],
    ] as const) {
      const forged = await run(['--anchors', file, ...options], environment)
      assert.equal(forged.code, 1)
      assert.match(forged.stderr, /^The anchor of entry \d+ was not written by this platform\.\n$/)
    }
    // or removes the signature
    const { signatures: _, ...bare } = anchor
    await writeFile(file, `${JSON.stringify(bare)}\n`)
    assert.match(
      (await run(['--anchors', file], env)).stdout,
      /the anchor \(1 without a signature of these keys\)/,
    )
  })

  it('does not create a missing database', async () => {
    const { code, stderr } = await run([], { DATA_DIR: folder })
    assert.equal(code, 1)
    assert.match(stderr, /^There is no database in DATA_DIR .*\n$/)
  })
})
