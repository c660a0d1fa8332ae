import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { Log, LogFields } from '#http-kit/log.ts'
import { testEngine } from '../testing/engine.ts'
import type { TestEngine } from '../testing/engine.ts'
import { plannedResource, planWith, reader } from '../testing/plan.ts'
import { findOperation } from '../store/operations/operations.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'

// A damaged row affects only its own operation: the worker survives, the operations beside it finish in their usual
// time, and the problem is logged occasionally, not endlessly.

let engine: TestEngine
const logged: { text: string; fields: LogFields }[] = []

before(async () => {
  engine = await testEngine()
})
after(() => engine.close())

const plan = planWith([reader('steady', 1)])
const run = (statement: ReturnType<typeof sql>) => statement.execute(engine.runtime.db)
const setPlan = (text: string) => (id: string) =>
  run(sql`update runtime.operation_plan set plan = ${text}::json where operation_id = ${id}`)
const setCall = (column: string, value: ReturnType<typeof sql>) => (id: string) =>
  run(sql`
    update runtime.plugin_call set ${sql.ref(column)} = ${value}
    where operation_id = ${id} and stage = 'BEFORE_RESOURCES'`)

/** Damages a call that has succeeded and is not made again. */
const setWrites = (text: string) => (id: string) =>
  run(sql`
    update runtime.plugin_call set ended_well = true, outcome = 'APPLIED', writes = ${text}::json
    where operation_id = ${id} and stage = 'BEFORE_RESOURCES'`)

/** The kinds of damage of a row, by the id of its operation. */
const DAMAGES: Record<string, (id: string) => Promise<unknown>> = {
  'too many attempts': (id) =>
    run(sql`update runtime.plugin_call set run_attempts = 2147483647 where operation_id = ${id}`),
  'no plan at all': (id) => run(sql`delete from runtime.operation_plan where operation_id = ${id}`),
  'a plan that is null': setPlan('null'),
  'a plan that is a number': setPlan('5'),
  'a plan that is a list': setPlan('[]'),
  'a plan that is empty': setPlan('{}'),
  'a plan with fields of wrong types': setPlan('{"resources":{},"plugins":"none","changes":7}'),
  'a plan with an invalid resource': setPlan('{"resources":[5],"plugins":[],"changes":[]}'),
  'a plan with an invalid plugin': setPlan(
    JSON.stringify({ resources: [plannedResource()], plugins: [null], changes: [] }),
  ),
  'a plan with a plugin without resources': setPlan(
    JSON.stringify({ resources: [], plugins: [{ pluginId: 'steady' }], changes: [] }),
  ),
  'a plan whose sealed value is garbage': setPlan(
    JSON.stringify({
      ...plan,
      resources: [{ ...plannedResource(), properties: { password: { '@type': 'Data', sealed: '!' } } }],
    }),
  ),
  'no calls at all': (id) => run(sql`delete from runtime.plugin_call where operation_id = ${id}`),
  'a missing call': (id) =>
    run(sql`delete from runtime.plugin_call where operation_id = ${id} and stage = 'AFTER_RESOURCES'`),
  'a frozen request that is not JSON': setCall('request', sql`convert_to('{"contractVersion":', 'UTF8')`),
  'a frozen request of a wrong type': setCall('request', sql`convert_to('5', 'UTF8')`),
  'a frozen request sealed with an unknown data key': setCall(
    'request',
    sql`decode('0100000063102030', 'hex')`,
  ),
  'a frozen request of random bytes': setCall('request', sql`decode('01ff00ff10203040', 'hex')`),
  'an answer that is garbage': setWrites('7'),
  'an answer of a wrong shape': setWrites('{"a":5}'),
  'an answer with an invalid value': setWrites('{"a":{"b":null}}'),
  'a call that is due at infinity': setCall('next_attempt_at', sql`'infinity'`),
  'an attempt that already exists': (id) =>
    run(sql`
      insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch)
      values (${id}, 'BEFORE_RESOURCES', 'steady', 1, 1, 1)`),
}

const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (text, fields = {}) => logged.push({ text, fields }),
  error: (text, fields = {}) => logged.push({ text, fields }),
  child: () => log,
  addSecret: () => {},
  removeSecret: () => {},
}

const poisoned = new Map<string, string>()
const healthy: string[] = []
/** How long the test watches whether a problem recurs. */
const WATCHED_MS = 3_000

describe('damaged rows beside healthy ones', () => {
  before(async () => {
    await engine.register('steady')
    await engine.register('lost')
    // a data key that cannot be opened: a read of all data keys fails
    await run(sql`
      insert into runtime.data_key (data_key_id, wrapped, sealing_key, replaced_at)
      values (98, '\\x00', 'of another replica', clock_timestamp())`)
    await run(
      sql`update runtime.plugin set endpoint = 'no address at all', max_attempts = 2 where plugin_id = 'lost'`,
    )
    const freeze = async (pluginId = 'steady') => {
      const installation = await engine.installation()
      const ownPlan = pluginId === 'steady' ? plan : planWith([reader(pluginId, 1)])
      return (await engine.freeze({ installation, plan: ownPlan })).operation_id
    }
    for (const [name, damage] of Object.entries(DAMAGES)) {
      healthy.push(await freeze())
      const id = await freeze()
      poisoned.set(name, id)
      await damage(id)
    }
    poisoned.set('a registration with a garbage endpoint', await freeze('lost'))
    const deps: RuntimeDeps = { ...engine.deps, log }
    const worker = engine.work({ leaseMs: 60_000 }, deps)
    try {
      for (const id of healthy) await engine.until(id, 'SUCCEEDED')
      const soon = logged.length
      await engine.deps.clock.sleep(WATCHED_MS)
      // each operation rests for seconds after a problem; a line about several of them counts as well
      assert(logged.length - soon <= poisoned.size * 3, `${logged.length - soon} lines in ${WATCHED_MS} ms`)
      // leased after the problems: the worker still works
      const later = await freeze()
      worker.wake()
      await engine.until(later, 'SUCCEEDED')
    } finally {
      await worker.stop()
    }
  })

  for (const column of ['created_at', 'started_at', 'finished_at', 'next_attempt_at', 'available_at'])
    for (const infinite of ['infinity', '-infinity'])
      it(`an operation with ${infinite} as its ${column} is refused by the database`, async () => {
        const written = run(sql`
          update runtime.operation set ${sql.ref(column)} = ${infinite} where operation_id = ${healthy[0]}`)
        await assert.rejects(written, /operation_readable/)
      })

  for (const column of ['lease_epoch', 'execution_sequence'])
    it(`an operation with a ${column} beyond 2^53 is refused by the database`, async () => {
      const written = run(sql`
        update runtime.operation set ${sql.ref(column)} = 9007199254740992 where operation_id = ${healthy[0]}`)
      await assert.rejects(written, /operation_readable/)
    })

  for (const name of [...Object.keys(DAMAGES), 'a registration with a garbage endpoint']) {
    it(`${name}: is logged, does not succeed, and is not retried endlessly`, async () => {
      const id = poisoned.get(name)
      assert(id !== undefined)
      const operation = await findOperation(engine.runtime.db, id)
      assert(operation !== undefined)
      assert.notEqual(operation.state, 'SUCCEEDED')
      const lines = logged.filter(({ fields }) => fields['operationId'] === id)
      if (operation.state !== 'FAILED') assert(lines.length > 0, 'nothing is logged')
      assert(lines.length <= 8, `${lines.length} lines: ${lines.map(({ text }) => text).join(', ')}`)
      assert(operation.lease_epoch <= 8, `leased ${operation.lease_epoch} times`)
    })
  }
})
