import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { Batch } from '#contract/runtime-api/batches.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import { systemClock } from '#http-kit/clock.ts'
import { pruneComparisons } from '../../store/comparisons.ts'
import { testHttp } from '../../testing/http.ts'
import type { TestAnswer, TestHttp } from '../../testing/http.ts'
import {
  bundleOf,
  locatorOf,
  moduleOf,
  placeOf,
  startRuleHarness,
  TEXT,
  wrapped,
} from '../../testing/rules.ts'
import type { RuleHarness } from '../../testing/rules.ts'
import { until } from '../../testing/stream.ts'
import { COMPARISONS_MAX } from './comparing.ts'

// Whether a given value equals a hidden one, asked in every way over HTTP. Each answer to that question is counted and audited.

const secret = { ...TEXT, isSensitive: true } as const
const versionOf = (version: string, properties: Parameters<typeof moduleOf>[1]) =>
  bundleOf('vault', { version, resources: [moduleOf('main', properties)] })
const first = versionOf('1.0.0', { name: TEXT, password: secret, token: secret })
const second = versionOf('2.0.0', { name: TEXT, password: secret, token: secret })
/** The secret is one no more. */
const open = versionOf('3.0.0', { name: TEXT, password: TEXT, token: secret })
const MAIN = locatorOf(first, 'main')

let deps: RuleHarness
let replica: TestHttp
before(async () => {
  deps = await startRuleHarness()
  await deps.publish(first, second, open)
  const { connection, sealingKeyFiles } = deps.http
  replica = await testHttp({ connection, sealingKeyFiles })
})
after(async () => {
  await replica.close()
  await deps.close()
})

let scope: Scope
let id: string
let person = 0
let actor: string
beforeEach(async () => {
  scope = deps.newScope()
  const properties = { [MAIN]: wrapped({ name: 'Acme', password: 'right', token: 'other' }) }
  id = await deps.installed(first, { scope, properties })
  actor = `guesser-${person++}`
})

const settings = (properties: Record<string, JsonValue>): Changes => ({ [MAIN]: wrapped(properties) })
const version = async () => (await deps.configuration(scope)).snapshotVersion
const asked = async (
  method: 'POST' | 'PATCH' | 'PUT',
  path: string,
  body: JsonObject,
  { http = deps.http, who = actor }: { http?: TestHttp; who?: string } = {},
): Promise<TestAnswer> => http.call(path, { method, body, actor: who })

const plan = async (changes: Changes, by?: { http?: TestHttp; who?: string }) =>
  asked('POST', `${placeOf(scope)}/configuration/plan`, { snapshotVersion: await version(), changes }, by)
const save = async (changes: Changes, by?: { http?: TestHttp; who?: string }) =>
  asked('PATCH', `${placeOf(scope)}/configuration`, { snapshotVersion: await version(), changes }, by)
const guess = (password: string, by?: { http?: TestHttp; who?: string }) => plan(settings({ password }), by)
const changed = ({ errorCode, data }: TestAnswer): number => {
  assert.equal(errorCode, '0', JSON.stringify(data))
  return (data['changes'] as JsonValue[]).length
}

interface Entry {
  action: string
  outcome: string
  errorCode: string | null
  changes: { property: string }[]
}
const entries = async (): Promise<Entry[]> =>
  (await deps.ok(`/audit?actor=${actor}&limit=200`, {}))['items'] as unknown as Entry[]
const compared = async (): Promise<string[]> =>
  (await entries())
    .filter(({ action, outcome }) => action === 'configuration.compare' && outcome === 'DONE')
    .flatMap(({ changes }) => changes.map(({ property }) => property))
/** Uses up the budget of this person for the password. */
const spend = async () => {
  for (let n = 0; n < COMPARISONS_MAX; n++) assert.equal(changed(await guess(`wrong-${n}`)), 1)
}

describe('a plan', () => {
  it('compares ten values with a hidden one, each audited once, and then none (H03)', async () => {
    assert.equal(changed(await guess('right')), 0)
    for (let n = 1; n < COMPARISONS_MAX; n++) assert.equal(changed(await guess(`wrong-${n}`)), 1)
    assert.equal((await compared()).length, COMPARISONS_MAX)
    // what is known already is free
    assert.equal(changed(await guess('right')), 0)
    assert.equal(changed(await guess('wrong-1')), 1)
    assert.equal((await compared()).length, COMPARISONS_MAX)

    const refused = await guess('one more')
    assert.equal(refused.errorCode, 'TOO_MANY_COMPARISONS')
    const [detail] = refused.data['details'] as { property: string; parameters: { minutes: number } }[]
    assert.equal(detail?.property, 'password')
    assert.ok(detail.parameters.minutes > 50 && detail.parameters.minutes <= 60)
    assert.match(String(refused.data['message']), /Leave the property out, or try again in \d+ min\./)
    const [newest] = await entries()
    assert.deepEqual([newest?.outcome, newest?.errorCode], ['REFUSED', 'TOO_MANY_COMPARISONS'])
    assert.doesNotMatch(JSON.stringify([await entries(), refused.json]), /right|wrong|one more/)
  })

  it('leaves the other properties, people and scopes their own budget', async () => {
    await spend()
    assert.equal((await guess('late')).errorCode, 'TOO_MANY_COMPARISONS')
    assert.equal(changed(await plan(settings({ name: 'Bolt' }))), 1)
    assert.equal(changed(await plan(settings({ token: 'other' }))), 0)
    assert.equal(changed(await guess('late', { who: 'somebody else' })), 1)
    scope = deps.newScope()
    await deps.installed(first, { scope, properties: settings({ name: 'Acme', password: 'right' }) })
    assert.equal(changed(await guess('late')), 1)
  })

  it('costs nothing without a hidden value: none is given, or none is set', async () => {
    scope = deps.newScope()
    await deps.installed(first, { scope, properties: settings({ name: 'Acme' }) })
    for (let n = 0; n <= COMPARISONS_MAX; n++) {
      assert.equal(changed(await guess(`first-${n}`)), 1)
      assert.equal(changed(await plan(settings({ name: `Acme ${n}` }))), 1)
    }
    assert.equal(changed(await plan({ [MAIN]: { password: null } })), 0)
    assert.deepEqual(await compared(), [])
  })

  it('counts a known guess again when the value was replaced', async () => {
    assert.equal(changed(await guess('next')), 1)
    await deps.saved(scope, settings({ password: 'next' }))
    assert.equal(changed(await guess('next')), 0)
    assert.equal((await compared()).length, 2)
  })

  it('counts exactly, however many replicas are asked at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 3 * COMPARISONS_MAX }, (_, n) =>
        guess(`wrong-${n}`, { http: n % 2 === 0 ? deps.http : replica }),
      ),
    )
    const shown = answers.filter(({ errorCode }) => errorCode === '0')
    assert.equal(shown.length, COMPARISONS_MAX)
    assert.equal((await compared()).length, COMPARISONS_MAX)
  })

  it('of an upgrade is counted too, also where the new version shows the property', async () => {
    const upgrade = async (targetVersion: string, password: string) =>
      asked('POST', `/installations/${id}/upgrade/plan`, {
        targetVersion,
        snapshotVersion: await version(),
        properties: settings({ password }),
      })
    for (const target of ['2.0.0', '3.0.0']) {
      assert.equal(changed(await upgrade(target, 'right')), 0)
      assert.equal(changed(await upgrade(target, `wrong for ${target}`)), 1)
    }
    // the right one was known
    assert.equal((await compared()).length, 3)
    for (let n = 3; n < COMPARISONS_MAX; n++) await upgrade('2.0.0', `wrong-${n}`)
    assert.equal((await upgrade('2.0.0', 'right')).errorCode, '0')
    assert.equal((await upgrade('3.0.0', 'late')).errorCode, 'TOO_MANY_COMPARISONS')
    assert.equal((await guess('late')).errorCode, 'TOO_MANY_COMPARISONS')
    const write = await asked('POST', `/installations/${id}/upgrade`, {
      targetVersion: '2.0.0',
      snapshotVersion: await version(),
      properties: settings({ password: 'late' }),
    })
    assert.equal(write.errorCode, 'TOO_MANY_COMPARISONS')
  })
})

describe('an upgrade', () => {
  it('is counted also if the values differ, because it may fail and replace nothing', async () => {
    const upgrade = async (password: string, targetVersion: string) =>
      asked('POST', `/installations/${id}/upgrade`, {
        targetVersion,
        snapshotVersion: await version(),
        properties: settings({ password }),
      })
    for (let n = 0; n < COMPARISONS_MAX - 1; n++) await guess(`wrong-${n}`)
    const { errorCode, data } = await upgrade('wrong', '2.0.0')
    assert.equal(errorCode, '0')
    await deps.succeeds((data['operation'] as { operationId: string }).operationId)
    assert.equal((await compared()).length, COMPARISONS_MAX)
    const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from runtime.comparison where actor_id = ${actor}`.execute(deps.db)
    assert.equal(rows[0]?.n, COMPARISONS_MAX)
    assert.equal((await upgrade('late', '3.0.0')).errorCode, 'TOO_MANY_COMPARISONS')
    assert.equal((await guess('late')).errorCode, 'TOO_MANY_COMPARISONS')
  })
})

describe('a save', () => {
  it('is counted and audited for a value that is the saved one, alone or beside a change', async () => {
    const before = await version()
    const same = await save(settings({ password: 'right' }))
    assert.deepEqual(same.data, { snapshotVersion: before, operations: [] })
    assert.deepEqual(await compared(), ['password'])
    const beside = await save(settings({ token: 'other', name: 'Bolt' }))
    assert.equal((beside.data['operations'] as JsonValue[]).length, 1)
    assert.deepEqual((await compared()).toSorted(), ['password', 'token'])
  })

  it('that replaces the value is a write like others, and uses up nothing', async () => {
    for (let n = 0; n <= COMPARISONS_MAX; n++) {
      const { data } = await save(settings({ password: `next-${n}` }))
      const [operation] = data['operations'] as { operationId: string }[]
      await deps.succeeds(operation?.operationId ?? '')
    }
    assert.deepEqual(await compared(), [])
    assert.equal((await entries()).filter(({ action }) => action === 'configuration.save').length, 11)
  })

  it('of the full configuration is counted for the values that it has, not for those that it keeps', async () => {
    const full = async (password: JsonObject) => {
      const properties = {
        ...wrapped({ name: 'Acme' }),
        password,
        token: { '@type': 'Data', isSensitive: true },
      }
      return asked('PUT', `${placeOf(scope)}/configuration`, {
        snapshotVersion: await version(),
        resources: { [MAIN]: { properties } },
      })
    }
    assert.deepEqual((await full({ '@type': 'Data', isSensitive: true })).data['operations'], [])
    assert.deepEqual(await compared(), [])
    assert.deepEqual((await full({ '@type': 'Data', value: 'right' })).data['operations'], [])
    assert.deepEqual(await compared(), ['password'])
  })

  it('that is refused after it has compared is counted, on every replica', async () => {
    // the second change is refused only if something would be written
    const answers: TestAnswer[] = []
    for (let n = 0; n < 2 * COMPARISONS_MAX; n += 4)
      answers.push(
        ...(await Promise.all(
          [deps.http, replica, deps.http, replica].map((http, index) =>
            save(settings({ password: n + index === 0 ? 'right' : `wrong-${n + index}`, name: 7 }), { http }),
          ),
        )),
      )
    const told = answers.filter(({ errorCode }) => errorCode === 'PROPERTY_INVALID')
    const other = answers.filter((one) => !told.includes(one) && one.errorCode !== 'TOO_MANY_COMPARISONS')
    assert.deepEqual(
      other.map(({ json }) => json),
      [],
    )
    assert.equal(told.length, COMPARISONS_MAX)
    assert.equal((await compared()).length, COMPARISONS_MAX)
  })

  it('says the same about the right value and a wrong one, when too many were tried', async () => {
    await spend()
    const before = await version()
    const [right, wrong] = [
      await save(settings({ password: 'right' })),
      await save(settings({ password: 'w' })),
    ]
    assert.equal(right.errorCode, 'TOO_MANY_COMPARISONS')
    assert.deepEqual(right.data['details'], wrong.data['details'])
    assert.equal(await version(), before)
  })

  it('that was refused for this succeeds with the same key when an hour has passed', async () => {
    await spend()
    const key = crypto.randomUUID()
    const again = async () =>
      deps.http.call(`${placeOf(scope)}/configuration`, {
        method: 'PATCH',
        actor,
        key,
        body: { snapshotVersion: await version(), changes: settings({ password: 'late' }) } as JsonObject,
      })
    assert.equal((await again()).errorCode, 'TOO_MANY_COMPARISONS')
    await sql`update runtime.comparison set compared_at = compared_at - interval '1 hour'
      where actor_id = ${actor}`.execute(deps.db)
    assert.equal((await again()).errorCode, '0')
  })
})

describe('a batch', () => {
  const shownBy = async (body: JsonObject): Promise<JsonObject> => {
    const { errorCode, data } = await asked('POST', '/batches/plan', { targets: [id], ...body })
    assert.equal(errorCode, '0')
    const [item] = data['items'] as JsonObject[]
    return item ?? assert.fail('has no item')
  }

  it('shows the same plan for the right value and a wrong one', async () => {
    for (const bodyOf of [
      (password: string) => ({ action: 'CONFIGURE', input: { changes: settings({ password }) } }),
      (password: string) => ({
        action: 'UPGRADE',
        input: { targetVersion: '2.0.0', properties: settings({ password }) },
      }),
      (password: string) => ({
        action: 'UPGRADE',
        input: { targetVersion: '3.0.0', properties: settings({ password }) },
      }),
    ]) {
      const [right, wrong] = [await shownBy(bodyOf('right')), await shownBy(bodyOf('wrong'))]
      const bare = (item: JsonObject) => ({ ...item, values: [] })
      assert.deepEqual(bare(right), bare(wrong))
      assert.equal(right['changes'], 1)
      assert.equal((right['values'] as JsonValue[]).length, 1)
    }
    assert.deepEqual(await compared(), [])
  })

  it('sets the value in every target, and does the same where it is saved already', async () => {
    const other = { scope: deps.newScope() }
    const targets = [
      id,
      await deps.installed(first, { ...other, properties: settings({ name: 'B', password: 'left' }) }),
    ]
    const body = { action: 'CONFIGURE', targets, input: { changes: settings({ password: 'right' }) } }
    const made = await asked('POST', '/batches', body)
    const { batchId } = Batch.parse(made.data['batch'])
    await until(async () => (await deps.ok(`/batches/${batchId}`, {}))['state'] === 'DONE')
    const items = (await deps.ok(`/batches/${batchId}/items`, {}))['items'] as JsonObject[]
    assert.deepEqual(
      items.map(({ state, operationId }) => [state, typeof operationId]),
      [
        ['SUCCEEDED', 'string'],
        ['SUCCEEDED', 'string'],
      ],
    )
    assert.equal(changed(await guess('right')), 0)
  })
})

it('keeps digests that show neither value, and only for an hour', async () => {
  await spend()
  const kept = async () =>
    (
      await sql<JsonObject>`select *, encode(digest, 'hex') as digest from runtime.comparison
      where actor_id = ${actor}`.execute(deps.db)
    ).rows
  assert.equal((await kept()).length, COMPARISONS_MAX)
  assert.doesNotMatch(JSON.stringify(await kept()), /right|wrong/)
  await sql`update runtime.comparison set compared_at = compared_at - interval '1 hour'
    where actor_id = ${actor}`.execute(deps.db)
  assert.equal(changed(await guess('late')), 1)
  while ((await pruneComparisons(deps.db, 3)) > 0) await systemClock.sleep(0)
  assert.equal((await kept()).length, 1)
})
