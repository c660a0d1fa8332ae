import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { openDatabase } from '#database/pool.ts'
import { inTransaction, PG } from '#database/transaction.ts'
import { readChain, readHead } from '../../store/audit.ts'
import type { RuntimeTables } from '../../model/tables.ts'
import { NO_HASH, verifyChain } from './verify-chain.ts'
import { recordAudit } from './record.ts'
import { ACTOR, FULL, LOCATED, testAudit } from '../../testing/audit.ts'
import type { TestAudit } from '../../testing/audit.ts'

describe('the audit chain', () => {
  let audit: TestAudit
  before(async () => {
    audit = await testAudit()
  })
  after(() => audit.close())

  const subjects = async () => (await readChain(audit.db, null, 1_000)).map(({ subject }) => subject)

  it('is valid while it is empty', async () => {
    assert.deepEqual(await verifyChain(audit.db), { holds: true, first: null, last: null })
  })

  it('gives each entry its number and the hash of the previous entry, whatever its content', async () => {
    await inTransaction(audit.db, async (tx) => {
      await recordAudit(tx, LOCATED, FULL)
      await recordAudit(tx, { ...ACTOR, name: '' }, { action: 'plugin.save', subject: '' })
    })
    const [one, two] = await readChain(audit.db, null, 10)
    assert.deepEqual([one?.sequence, two?.sequence], [1, 2])
    assert.deepEqual(one?.previous_hash, NO_HASH)
    assert.deepEqual(two?.previous_hash, one?.hash)
    assert.equal((await verifyChain(audit.db)).holds, true)
    const { sequence, hash } = await readHead(audit.db)
    assert.deepEqual({ sequence, hash }, { sequence: 2, hash: two?.hash })
  })

  it('assigns numbers at commit, so that an open transaction blocks nobody and leaves no gap', async () => {
    const opened = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const slow = inTransaction(audit.db, async (tx) => {
      await recordAudit(tx, ACTOR, { action: 'plugin.save', subject: 'slow' })
      opened.resolve()
      await mayEnd.promise
    })
    await opened.promise
    await audit.write('quick')
    mayEnd.resolve()
    await slow
    assert.deepEqual((await subjects()).slice(-2), ['quick', 'slow'])
    assert.equal((await verifyChain(audit.db)).holds, true)
  })

  it('fails the commit if the chain head cannot be locked in time, and rolls back the transaction', async () => {
    const impatient = openDatabase<RuntimeTables>(audit.connection, { lockTimeoutMs: 100 })
    const locked = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const holder = inTransaction(audit.db, async (tx) => {
      await sql`select * from runtime.audit_head for update`.execute(tx)
      locked.resolve()
      await mayEnd.promise
    })
    await locked.promise
    const write = () =>
      inTransaction(impatient.db, async (tx) => {
        await sql`insert into runtime.signing_key (kid, public_jwk) values ('k', '{}')`.execute(tx)
        await recordAudit(tx, ACTOR, { action: 'plugin.save', subject: 'impatient' })
      })
    await assert.rejects(write(), { code: PG.lockNotAvailable })
    const stored = () => sql`select from runtime.signing_key`.execute(audit.db)
    assert.equal((await stored()).rows.length, 0)
    mayEnd.resolve()
    await holder
    await write()
    assert.equal((await stored()).rows.length, 1)
    assert.equal((await subjects()).filter((subject) => subject === 'impatient').length, 1)
    await impatient.close()
  })

  it('has no gap and is valid after eight concurrent writers, some of which roll back partially', async () => {
    const before = (await readHead(audit.db)).sequence
    const undone = new Error('undone')
    const writer = async (name: number) => {
      for (let turn = 0; turn < 25; turn++) {
        const isUndone = (turn + name) % 3 === 0
        await inTransaction(audit.db, async (tx) => {
          await recordAudit(tx, ACTOR, { action: 'plugin.save', subject: `${name}/${turn}` })
          // partly rolled back: only the rest is audited
          await sql`savepoint part`.execute(tx)
          await recordAudit(tx, ACTOR, { action: 'plugin.save', subject: 'never' })
          await sql`rollback to savepoint part`.execute(tx)
          if (isUndone) throw undone
        }).catch((error: unknown) => assert.equal(error, undone))
      }
    }
    const walks = Promise.all([1, 2, 3].map(async () => (await verifyChain(audit.db)).holds))
    await Promise.all(Array.from({ length: 8 }, (_, name) => writer(name)))
    assert.deepEqual(await walks, [true, true, true])

    const done = Array.from({ length: 8 * 25 }, (_, index) => [index % 8, Math.floor(index / 8)] as const)
      .filter(([name, turn]) => (turn + name) % 3 !== 0)
      .map(([name, turn]) => `${name}/${turn}`)
    const entries = await readChain(audit.db, before, 1_000)
    assert.deepEqual(entries.map(({ subject }) => subject).toSorted(), done.toSorted())
    assert.deepEqual(
      entries.map(({ sequence }) => sequence),
      done.map((_, index) => before + 1 + index),
    )
    assert.equal((await verifyChain(audit.db)).holds, true)
    const { rows } = await sql`select from runtime.audit_draft`.execute(audit.db)
    assert.equal(rows.length, 0)
  })

  it('needs no sequence, which a promoted standby may not be able to read', async () => {
    const { rows } = await sql<{ name: string }>`
      select pg_get_serial_sequence('runtime.audit_draft', 'draft_id') as name`.execute(audit.db)
    // its last number
    await sql`select from setval(${rows[0]?.name}::regclass, 9223372036854775807)`.execute(audit.db)
    const { sequence } = await readHead(audit.db)
    for (const subject of ['first', 'second'])
      await inTransaction(audit.db, (tx) => recordAudit(tx, ACTOR, { action: 'plugin.save', subject }))
    const entries = await readChain(audit.db, sequence, 10)
    assert.deepEqual(
      entries.map(({ subject }) => subject),
      ['first', 'second'],
    )
  })

  it('refuses every other change, even by a superuser or the owner of the table (G09)', async () => {
    // a role belongs to the whole server, which other test files use too
    const owner = `owner_${randomUUID().replaceAll('-', '')}`
    await sql`create role ${sql.id(owner)}`.execute(audit.db)
    await sql`grant usage, create on schema runtime to ${sql.id(owner)}`.execute(audit.db)
    const statements = [
      `update runtime.audit_entry set reason = 'another'`,
      `update runtime.audit_entry set reason = 'another' where false`,
      'delete from runtime.audit_entry',
      'truncate runtime.audit_entry',
      'truncate runtime.audit_entry, runtime.audit_head cascade',
      'update runtime.audit_head set sequence = 0',
      'delete from runtime.audit_head',
      `insert into runtime.audit_head values (false, 0, '')`,
    ]
    const modes = ['', 'set local session_replication_role = replica', `set local role ${owner}`]
    await sql`alter table runtime.audit_entry owner to ${sql.id(owner)}`.execute(audit.db)
    await sql`alter table runtime.audit_head owner to ${sql.id(owner)}`.execute(audit.db)
    for (const mode of modes) {
      for (const statement of statements) {
        const change = inTransaction(audit.db, async (tx) => {
          if (mode !== '') await sql.raw(mode).execute(tx)
          await sql.raw(statement).execute(tx)
        })
        await assert.rejects(change, { code: '42501' }, `${mode}; ${statement}`)
      }
    }
    const rights = await sql<{ may: boolean }>`
      select has_table_privilege(${owner}, 'runtime.audit_entry', 'update, delete, truncate') as may`.execute(
      audit.db,
    )
    assert.deepEqual(rights.rows, [{ may: false }])
    await sql`reassign owned by ${sql.id(owner)} to current_user`.execute(audit.db)
    await sql`drop owned by ${sql.id(owner)}`.execute(audit.db)
    await sql`drop role ${sql.id(owner)}`.execute(audit.db)
  })

  it('also chains an entry written without the program, and ignores its number and time', async () => {
    await sql`
      insert into runtime.audit_entry
        (sequence, at, actor_id, actor_name, action, subject, changes, outcome, request_id, previous_hash, hash)
      values (1, '2001-01-01', 'eve', 'Eve', 'plugin.save', 'past the program', '[]', 'DONE', 'r', '', '')`.execute(
      audit.db,
    )
    const verdict = await verifyChain(audit.db)
    assert.ok(verdict.holds)
    assert.equal(verdict.last?.subject, 'past the program')
    assert.doesNotMatch(verdict.last.at, /^2001/)
  })
})

describe('a database of a version before 0.1.0 that was restored', () => {
  it('has entries of format 1, whose hash does not cover the later fields', async () => {
    const audit = await testAudit()
    const alter = (how: 'enable' | 'disable') =>
      sql`alter table runtime.audit_entry ${sql.raw(how)} trigger user;
        alter table runtime.audit_head ${sql.raw(how)} trigger user`.execute(audit.db)
    await alter('disable')
    await sql`do $$ declare
        entry runtime.audit_entry;
        head runtime.audit_head;
      begin
        for number in 1..40 loop
          select * into head from runtime.audit_head;
          entry := null;
          entry.sequence := number;
          entry.format := 1;
          entry.at := timestamptz '2026-01-01 12:00:00.123456+02' + number * interval '1 second';
          entry.actor_id := 'ada';
          entry.actor_name := 'Ada';
          entry.action := 'plugin.save';
          entry.subject := 'subject ' || number;
          entry.changes := '[{"a" : 1.0}]';
          entry.outcome := 'DONE';
          entry.request_id := 'r-' || number;
          entry.previous_hash := head.hash;
          entry.hash := runtime.audit_hash(entry);
          insert into runtime.audit_entry values (entry.*);
          update runtime.audit_head set sequence = number, hash = entry.hash;
        end loop;
      end $$`.execute(audit.db)
    await alter('enable')

    await audit.write('after it')
    const entries = await readChain(audit.db, null, 100)
    assert.deepEqual(
      [...new Set(entries.slice(0, 40).map(({ format }) => format)), entries[40]?.format],
      [1, 2],
    )
    assert.equal(entries[0]?.at, '2026-01-01T10:00:01.123456Z')
    assert.equal(entries[0]?.changes, '[{"a" : 1.0}]')
    assert.equal((await verifyChain(audit.db)).holds, true)

    // an entry of format 1 has no hash of these, so it cannot have them
    await sql`alter table runtime.audit_entry disable trigger all`.execute(audit.db)
    await sql`update runtime.audit_entry set client_address = '10.0.0.1' where sequence = 3`.execute(audit.db)
    const verdict = await verifyChain(audit.db)
    assert.match(verdict.holds ? '' : verdict.problem, /^entry 3 of .* does not match its hash/)
    await audit.close()
  })
})
