import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { wrapData } from '#contract/protocol/data.ts'
import { createLog } from '#http-kit/log.ts'
import { readConfiguration } from '../use-cases/configuration/read.ts'
import { saveConfiguration } from '../use-cases/configuration/save.ts'
import { detach } from '../use-cases/installations/detach.ts'
import { readLastConfiguration } from '../store/installations/last-applied.ts'
import { readLedger } from '../store/installations/ledger.ts'
import { readProperties } from '../store/configuration/properties.ts'
import { listDataKeys } from '../store/data-keys.ts'
import { readCalls } from '../store/operations/calls.ts'
import { readPlan } from '../store/operations/plans.ts'
import { CORE, crm, SCOPE, startInstall } from '../testing/bundles.ts'
import { testRuntime } from '../testing/runtime.ts'
import type { TestRuntime } from '../testing/runtime.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { requestPlace } from '../sealing/places.ts'
import { resealAll } from './reseal.ts'
import { rotateDataKey } from './rotate.ts'
import { SEALED_TABLES } from './sealed-tables.ts'
import { findCanaries } from '../testing/canary.ts'
import { TEST_SEALING_KEY, testVault } from '../testing/vault.ts'

const CANARY = 'canary-4711-aa'
const PACE = { graceMs: 0, pageRows: 2, restMs: 0 }
const running = new AbortController().signal

let runtime: TestRuntime
let operationId = ''
let bundleInstallId = ''
let logged: string[] = []
before(async () => {
  runtime = await testRuntime()
  await runtime.publish(crm)
  const installed = await startInstall(runtime, crm, {
    properties: { [CORE]: { name: wrapData('Acme'), password: wrapData(CANARY) } },
  })
  operationId = installed.operation.operationId
  bundleInstallId = installed.bundleInstallId
  const { db, vault } = runtime.deps
  const key = { operationId, stage: 'BEFORE_RESOURCES', pluginId: 'tenants' } as const
  await db
    .updateTable('runtime.plugin_call')
    .set({ request: vault.seal(Buffer.from(`{"password":"${CANARY}"}`), requestPlace(key)) })
    .where('operation_id', '=', operationId)
    .where('stage', '=', key.stage)
    .execute()
  await runtime.succeed(operationId, { [CORE]: { tenantId: wrapData('t-1') } })
})
after(() => runtime.close())
afterEach(() => {
  logged = []
})

const depsWith = async (vault = runtime.deps.vault): Promise<RuntimeDeps> => ({
  ...runtime.deps,
  vault,
  log: createLog({ name: 'test', level: 'info', stream: { write: (line) => logged.push(line) } }),
})
const rotate = () => rotateDataKey(runtime.db, [TEST_SEALING_KEY])
const keyIds = async () => (await listDataKeys(runtime.db)).map(({ id }) => id)

/** The ids of the data keys in use. */
async function usedKeys(): Promise<number[]> {
  const used = await sql<{ sealed: string }>`
    select value ->> 'sealed' as sealed from runtime.configuration_property where value ->> 'sealed' is not null
    union all select property.value ->> 'sealed' from runtime.installed_resource, jsonb_each(properties) as property
    where property.value ->> 'sealed' is not null
    union all select coalesce(before ->> 'sealed', after ->> 'sealed') from runtime.snapshot_change
    where coalesce(before ->> 'sealed', after ->> 'sealed') is not null
    union all select resource -> 'properties' -> 'password' ->> 'sealed'
    from runtime.operation_plan, json_array_elements(plan -> 'resources') as resource
    where resource -> 'properties' -> 'password' is not null
    union all select encode(request, 'base64') from runtime.plugin_call where request is not null`.execute(
    runtime.db,
  )
  const ids = used.rows.map(({ sealed }) => Buffer.from(sealed, 'base64').readUInt32BE(1))
  return [...new Set(ids)].toSorted((a, b) => a - b)
}

/** Reads every kind of sealed value with this vault. */
async function assertAllOpen(vault = runtime.deps.vault): Promise<void> {
  const { db } = runtime
  const { scope_id } = await db.selectFrom('runtime.scope').select('scope_id').executeTakeFirstOrThrow()
  assert.ok((await readProperties(db, vault, scope_id)).get(CORE)?.has('password'))
  const core = (await readLedger(db, vault, [bundleInstallId])).find(({ locator }) => locator === CORE)
  assert.equal(core?.properties['password']?.['@type'], 'Data')
  assert.ok(JSON.stringify(await readPlan(db, vault, operationId)).includes(CANARY))
  const calls = await readCalls(db, vault, operationId)
  const call = calls.find(({ request }) => request !== null)
  assert.equal(call?.request?.toString(), `{"password":"${CANARY}"}`)
}

describe('a rotation', () => {
  it('reseals everything, changes nothing else, and deletes the old key', async () => {
    const { db } = runtime
    const [old = 0] = await keyIds()
    assert.deepEqual(await usedKeys(), [old])
    const versions = () =>
      sql`select (select json_agg(i.* order by 1) from runtime.installation i) as installations,
        (select json_agg(o.* order by operation_id) from runtime.operation o) as operations,
        (select json_agg(s.* order by 1) from runtime.scope s) as scopes,
        (select json_agg(verified_at order by locator) from runtime.installed_resource) as verified,
        (select count(*) from runtime.event) as events,
        (select count(*) from runtime.snapshot) as snapshots`.execute(db)
    const before = (await versions()).rows
    const { to } = await rotate()
    const deps = await depsWith()
    await resealAll(deps, running, PACE)
    assert.deepEqual(await usedKeys(), [old], 'a vault that does not know the new key only reads it')
    await resealAll(deps, running, { ...PACE, graceMs: 60_000 })
    assert.deepEqual(await usedKeys(), [to.id])
    assert.deepEqual(await keyIds(), [old, to.id], 'a replica may still use the old key')
    await assertAllOpen()
    await resealAll(deps, running, PACE)
    assert.deepEqual(await keyIds(), [to.id])
    assert.ok(logged.some((line) => line.includes('deleted')))
    assert.deepEqual((await versions()).rows, before)
    await assertAllOpen(await testVault(db))
    assert.deepEqual(await findCanaries(db, [CANARY]), [])
  })

  it('continues where another replica has stopped, page by page (H05)', async () => {
    const { to } = await rotate()
    const deps = await depsWith()
    await deps.vault.learn(deps.db)
    const stopping = new AbortController()
    let pages = 0
    const clock = {
      ...deps.clock,
      sleep: async () => {
        if (++pages === 2) stopping.abort()
      },
    }
    await resealAll({ ...deps, clock }, stopping.signal, PACE)
    assert.ok((await usedKeys()).length === 2)
    const other = await testVault(runtime.db)
    await resealAll(await depsWith(other), running, PACE)
    assert.deepEqual(await usedKeys(), [to.id])
    await assertAllOpen(other)
  })

  it('reads only as many large rows at a time as fit into the memory (H05)', async () => {
    const other = await testRuntime()
    const operations = Array.from({ length: 5 }, () => crypto.randomUUID())
    const plan = { resources: [], changes: [], reason: 'x'.repeat(1_500_000) }
    await sql`alter table runtime.operation_plan disable trigger all`.execute(other.db)
    await sql`insert into runtime.operation_plan (operation_id, plan)
      select unnest(${operations}::uuid[]), ${JSON.stringify(plan)}::json`.execute(other.db)
    const plans = SEALED_TABLES.find(({ name }) => name === 'operation_plan')
    const ends: string[] = []
    let last: readonly string[] | null = null
    do {
      last = (await plans?.resealPage(other.deps, last, 100))?.last ?? null
      ends.push(...(last ?? []))
    } while (last !== null)
    assert.deepEqual(ends, [operations.toSorted()[2]])
    await other.close()
  })

  it('loses nothing during writes, with two replicas resealing (H05)', async () => {
    const { db } = runtime
    const stopped = new AbortController()
    const saves: string[] = []
    const writer = async (): Promise<void> => {
      const vault = await testVault(db)
      while (!stopped.signal.aborted) {
        const deps = { ...runtime.deps, vault }
        const { snapshotVersion } = await readConfiguration(
          { deps, actor: runtime.actor },
          { params: SCOPE, query: {}, body: undefined },
        )
        const password = `${CANARY}-${saves.length}`
        const changes = { [CORE]: { password: wrapData(password) } }
        const saved = await runtime.write((context) =>
          saveConfiguration(
            { ...context, deps },
            { params: SCOPE, query: {}, body: { snapshotVersion, changes } },
          ),
        )
        for (const one of saved.operations) await runtime.succeed(one.operationId)
        saves.push(password)
      }
    }
    const writing = writer()
    const replicas = await Promise.all([testVault(db), testVault(db)])
    for (let round = 0; round < 5; round++) {
      await rotate()
      for (const vault of replicas) await vault.learn(db)
      // without a grace period the key of the writer would be deleted
      await Promise.all(
        replicas.map(async (vault) =>
          resealAll(await depsWith(vault), running, { ...PACE, graceMs: 60_000 }),
        ),
      )
    }
    while (saves.length < 10) await runtime.deps.clock.sleep(5)
    stopped.abort()
    await writing
    await runtime.deps.vault.learn(db)
    const { scope_id } = await db.selectFrom('runtime.scope').select('scope_id').executeTakeFirstOrThrow()
    const now = (await readProperties(db, runtime.deps.vault, scope_id)).get(CORE)?.get('password')
    assert.deepEqual(now, { '@type': 'Data', value: saves.at(-1), isSensitive: true })
    const current = (await rotate()).to.id
    await runtime.deps.vault.learn(db)
    await resealAll(await depsWith(), running, PACE)
    assert.deepEqual(await usedKeys(), [current])
    assert.deepEqual(await keyIds(), [current])
    await assertAllOpen()
    assert.deepEqual(await findCanaries(db, [CANARY]), [])
  })
})

describe('data from before sealing existed', () => {
  it('can be read, and is sealed in place', async () => {
    const { db } = runtime
    const plaintext = JSON.stringify({ '@type': 'Data', value: CANARY, isSensitive: true })
    await sql`update runtime.configuration_property set value = ${plaintext}::jsonb where property = 'password'`.execute(
      db,
    )
    await sql`update runtime.installed_resource
      set properties = properties || jsonb_build_object('password', ${plaintext}::jsonb) where properties ? 'password'`.execute(
      db,
    )
    await sql`update runtime.snapshot_change set after = ${plaintext}::jsonb where property = 'password'`.execute(
      db,
    )
    const plan = JSON.stringify(await readPlan(db, runtime.deps.vault, operationId))
    await sql`update runtime.operation_plan set plan = ${plan}::json where operation_id = ${operationId}`.execute(
      db,
    )
    await sql`update runtime.plugin_call set request = ${Buffer.from(`{"password":"${CANARY}"}`)}
      where request is not null`.execute(db)
    assert.equal((await findCanaries(db, [CANARY])).length, 5)
    await assertAllOpen()
    // as when a runtime of this version opens the database for the first time
    await db.deleteFrom('runtime.sealing_pass').execute()
    await resealAll(await depsWith(), running, PACE)
    assert.deepEqual(await findCanaries(db, [CANARY]), [])
    await assertAllOpen()
  })
})

describe('a sealed value that does not open', () => {
  it('is left unchanged and logged, and its key is kept', async () => {
    const { db } = runtime
    const [old = 0] = await keyIds()
    await sql`update runtime.configuration_property as one
      set value = jsonb_set(one.value, '{sealed}', to_jsonb((
        select ledger.properties -> 'password' ->> 'sealed' from runtime.installed_resource as ledger
        where ledger.properties ? 'password')))
      where property = 'password'`.execute(db)
    const { to } = await rotate()
    await runtime.deps.vault.learn(db)
    await resealAll(await depsWith(), running, PACE)
    assert.deepEqual(await usedKeys(), [old, to.id])
    assert.deepEqual(await keyIds(), [old, to.id])
    assert.ok(logged.some((line) => line.includes('does not open')))
    assert.ok(!logged.join('').includes(CANARY))
    await assert.rejects(
      runtime
        .write((context) =>
          detach(context, { params: { bundleInstallId }, query: {}, body: { reason: 'x' } }),
        )
        .then((started) => runtime.succeed(started.operation.operationId)),
      /does not open/,
    )
    assert.deepEqual(await readLastConfiguration(db, runtime.deps.vault, bundleInstallId), [])
  })
})

it('every table that holds sealed values is resealed', async () => {
  const sealing = await sql<{ name: string }>`
    select distinct table_name as name from information_schema.columns
    where table_schema = 'runtime'
      and (data_type in ('jsonb', 'bytea') or column_name in ('plan', 'writes'))`.execute(runtime.db)
  const others = [
    'service',
    'data_key',
    'plugin_credential',
    'idempotency',
    // digests
    'comparison',
    'audit_entry',
    'audit_head',
    'batch_item',
    'bundle_version',
    'plugin_report',
    'change_freeze',
  ]
  assert.deepEqual(
    sealing.rows
      .map(({ name }) => name)
      .filter((name) => !others.some((other) => name.startsWith(other)))
      .toSorted(),
    SEALED_TABLES.map(({ name }) => name).toSorted(),
  )
})
