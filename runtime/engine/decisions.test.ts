import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Timestamp } from '#contract/protocol/keys.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import { DEFAULT_CALL_LIMITS } from '../model/call.ts'
import { describeNoResponse } from './calls/answer.ts'
import { RETRY_AFTER_MAX_SECONDS, readWire } from './calls/wire-evidence.ts'
import { RETRY_AFTER_MAX_MS, afterAttempt, afterStop, backoffMs } from './steps/after-attempt.ts'
import { configurationChanges, mergedWrites } from './steps/plugin-writes.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { detachPlan } from './plans/detach-plan.ts'
import { propertyView } from './changes/change-view.ts'
import { situationOf } from './views.ts'
import { sensitiveValues } from './calls/sensitive-values.ts'
import { authorization, data, LOCATOR, planWith, plannedResource, reader, SECRET } from '../testing/plan.ts'
import type { LedgerRow } from '../model/ledger.ts'
import type { Judgement } from '../model/call.ts'

suite('the backoff', () => {
  const full = (attempts: number) => backoffMs({ attempts, maxMs: 60_000, fraction: 1 })

  test('doubles from one second to the maximum', () => {
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 99].map(full),
      [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000],
    )
  })
  test('consists of up to one half jitter', () => {
    assert.equal(backoffMs({ attempts: 3, maxMs: 60_000, fraction: 0 }), 2_000)
    assert.equal(backoffMs({ attempts: 3, maxMs: 60_000, fraction: 0.5 }), 3_000)
  })
  test('may have a maximum below one second', () => {
    assert.equal(backoffMs({ attempts: 1, maxMs: 100, fraction: 0 }), 50)
  })
})

const NOW = '2026-01-31T08:00:00.000Z'

suite('after an attempt', () => {
  const judged = (more: Partial<Judgement>): Judgement => ({
    disposition: 'repeat',
    isUncertain: true,
    outcome: null,
    failure: describeNoResponse('a', 'timeout', 1500),
    writes: {},
    httpStatus: null,
    recorded: null,
    ...more,
  })
  const after = (judgement: Judgement, runAttempts: number) =>
    afterAttempt({ judgement, runAttempts, limits: DEFAULT_CALL_LIMITS, fraction: 1, now: NOW })

  test('a call that is done or failed is not repeated', () => {
    assert.deepEqual(after(judged({ disposition: 'done', failure: null }), 8), {
      endedWell: true,
      failed: false,
      failure: null,
      waitMs: null,
    })
    assert.equal(after(judged({ disposition: 'failed' }), 1).failed, true)
  })
  test('a repeat waits, until the attempts of the run are used up', () => {
    assert.equal(after(judged({}), 1).waitMs, 1_000)
    assert.equal(after(judged({}), 7).failed, false)
    const last = after(judged({}), 8)
    assert.equal(last.failed, true)
    assert.equal(last.waitMs, null)
    assert.equal(last.failure?.errorCode, 'PLUGIN_RESULT_UNKNOWN')
    assert.equal(last.failure?.attemptCode, 'PLUGIN_TIMEOUT')
    assert.equal(last.failure?.retryable, true)
    assert.equal(last.failure?.attemptsUsed, 8)
    assert.equal(last.failure?.message, 'Plugin a did not respond within 1.5 s.')
  })
  test('a repeat waits as long as the plugin asks for, at least the back-off, unless it is more than five minutes', () => {
    const asked = (retryAfterSeconds: number) => judged({ wire: { retryAfterSeconds } })
    assert.equal(after(asked(120), 1).waitMs, 121_000)
    assert.equal(after(asked(0), 1).waitMs, 1_000)
    // the back-off of the seventh attempt is longer than what is asked for
    assert.equal(after(asked(5), 7).waitMs, 60_000)
    const most = RETRY_AFTER_MAX_MS / 1_000
    assert.equal(after(asked(most), 1).waitMs, RETRY_AFTER_MAX_MS + 1_000)
    // a longer one would hold the installation: it gets the usual delay
    assert.equal(after(asked(most + 1), 1).waitMs, backoffMs({ attempts: 1, maxMs: 60_000, fraction: 1 }))
    assert.equal(after(asked(120), 8).failure?.retryFrom, '2026-01-31T08:02:00.000Z')
    assert.equal(after(judged({}), 8).failure?.retryFrom, undefined)
  })
  test('whatever Retry-After has, the failure says a time that can be read, at most 30 days later', () => {
    const retryFrom = (headers: Record<string, string>) => {
      const answeredAt = new Date(NOW)
      const { retryAfterSeconds } = readWire({
        headers,
        status: 429,
        isRedirect: false,
        endpoint: 'https://plugin.example.org',
        connectedAt: answeredAt,
        answeredAt,
      })
      assert.ok(retryAfterSeconds !== null)
      return Timestamp.parse(after(judged({ wire: { retryAfterSeconds } }), 8).failure?.retryFrom)
    }
    const latest = new Date(Date.parse(NOW) + RETRY_AFTER_MAX_SECONDS * 1_000).toISOString()
    const farAway = 'Sat, 13 Sep 275760 00:00:00 GMT'
    assert.equal(retryFrom({ 'retry-after': 'Fri, 01 Jan 12000 00:00:00 GMT' }), latest)
    assert.equal(retryFrom({ 'retry-after': farAway, date: 'Thu, 01 Jan 1970 00:00:00 GMT' }), latest)
    assert.equal(retryFrom({ 'retry-after': '9'.repeat(400) }), latest)
    assert.equal(retryFrom({ 'retry-after': 'Sat, 31 Jan 2026 08:02:00 GMT' }), '2026-01-31T08:02:00.000Z')
  })
  test('the failure that the plugin itself reported is kept at the end', () => {
    const busy = { errorCode: 'BUSY', message: 'later', retryable: true }
    assert.deepEqual(after(judged({ isUncertain: false, failure: busy }), 8).failure, {
      ...busy,
      attemptsUsed: 8,
    })
  })
  test('at the end, an earlier unknown result of the run has the code, and what the plugin reported last the message', () => {
    const busy = { errorCode: 'BUSY', message: 'later', retryable: true }
    const after = (runAttempts: number) =>
      afterAttempt({
        judgement: judged({ isUncertain: false, failure: busy }),
        runAttempts,
        limits: DEFAULT_CALL_LIMITS,
        fraction: 1,
        now: NOW,
        hasUnknownBefore: true,
      })
    assert.equal(after(7).failure, busy)
    assert.deepEqual(after(8).failure, {
      ...busy,
      errorCode: 'PLUGIN_RESULT_UNKNOWN',
      attemptCode: 'BUSY',
      attemptsUsed: 8,
    })
  })
  test('at the end, and after a stop, what the platform refused last is kept beside an earlier unknown result', () => {
    const refusedHere = {
      at: NOW,
      endpoint: 'RESOLVE',
      rule: 'SERVICE_OWNER_NOT_ACTIVE',
      code: 'SERVICE_REFERENCE_UNAVAILABLE',
      service: 'mail',
    } as const
    const refused = { errorCode: 'NOT_NOW', message: 'later', retryable: true, refusedHere }
    const { failure } = afterAttempt({
      judgement: judged({ isUncertain: false, failure: refused }),
      runAttempts: 8,
      limits: DEFAULT_CALL_LIMITS,
      fraction: 1,
      now: NOW,
      hasUnknownBefore: true,
    })
    const stopped = { by: { id: 'sam', name: 'Sam' }, reason: 'why' }
    for (const ended of [failure, afterStop(refused, stopped, true)]) {
      assert.ok(ended)
      assert.equal(ended.errorCode, 'PLUGIN_RESULT_UNKNOWN')
      assert.equal(ended.message, refused.message)
      assert.deepEqual(ended.refusedHere, refusedHere)
      const { actor, action, retryHelps } = situationOf({ state: 'FAILED', failure: ended })
      assert.deepEqual([actor, action, retryHelps], ['OPERATOR', 'RESTORE_SERVICE', 'AFTER_CHANGE'])
    }
  })
})

suite('the writes of plugins', () => {
  const writes = (value: string) => ({ [LOCATOR]: { tenantId: data(value) } })
  const call = (
    pluginId: string,
    order: number,
    stage: 'BEFORE_RESOURCES' | 'AFTER_RESOURCES',
    value: string,
  ) => ({
    pluginId,
    order,
    stage,
    writes: writes(value),
  })

  test('the later call wins: by stage, then by order', () => {
    const calls = [
      call('a', 2, 'BEFORE_RESOURCES', 'before 2'),
      call('b', 1, 'AFTER_RESOURCES', 'after 1'),
      call('c', 1, 'BEFORE_RESOURCES', 'before 1'),
    ]
    assert.deepEqual(mergedWrites(calls, 'INSTALL'), writes('after 1'))
    assert.deepEqual(mergedWrites(calls, 'INSTALL', 'BEFORE_RESOURCES'), writes('before 2'))
    assert.deepEqual(mergedWrites(calls, 'DETACH', 'BEFORE_RESOURCES'), writes('before 1'))
  })
  test('writes to other properties are kept', () => {
    const token = { ...call('a', 1, 'BEFORE_RESOURCES', 'x'), writes: { [LOCATOR]: { token: data('s') } } }
    const merged = mergedWrites([token, call('b', 2, 'BEFORE_RESOURCES', 't')], 'INSTALL')
    assert.deepEqual(merged, { [LOCATOR]: { token: data('s'), tenantId: data('t') } })
  })
})

suite('the configuration changes of a success', () => {
  const current = (properties: Record<string, TypedValue>) =>
    new Map([[LOCATOR, new Map(Object.entries(properties))]])
  const plan = planWith()
  const summarize = (changes: ReturnType<typeof configurationChanges>) =>
    changes.map(({ property, before, after, isSensitive }) => [property, before, after, isSensitive])

  test('an INSTALL adds everything', () => {
    const changes = configurationChanges({
      operationType: 'INSTALL',
      plan,
      writes: { [LOCATOR]: { tenantId: data('t') } },
      current: new Map(),
    })
    assert.deepEqual(summarize(changes), [
      ['region', null, data('eu'), false],
      ['password', null, data(SECRET, true), true],
      ['publisher', null, { '@type': 'ServiceReference', serviceId: 'events' }, false],
      ['instanceRefProperty', null, data('the-installation'), false],
      ['tenantId', null, data('t'), false],
    ])
  })
  test('a CONFIGURE adds only the writes, and nothing if they are unchanged', () => {
    const changes = configurationChanges({
      operationType: 'CONFIGURE',
      plan,
      writes: { [LOCATOR]: { tenantId: data('t'), token: data('same', true) } },
      current: current({ token: data('same'), region: data('newer') }),
    })
    assert.deepEqual(summarize(changes), [['tenantId', null, data('t'), false]])
  })
  test('an UPGRADE removes what is no longer planned, and never changes instanceRefProperty', () => {
    const upgrade = planWith()
    upgrade.resources = [
      plannedResource({ properties: { instanceRefProperty: data('other') }, definitions: {} }),
    ]
    const changes = configurationChanges({
      operationType: 'UPGRADE',
      plan: upgrade,
      writes: {},
      current: current({ instanceRefProperty: data('mine'), region: data('eu') }),
    })
    assert.deepEqual(summarize(changes), [['region', data('eu'), null, null]])
  })
  test('a DETACH removes everything', () => {
    const changes = configurationChanges({
      operationType: 'DETACH',
      plan,
      writes: { [LOCATOR]: { tenantId: data('t') } },
      current: current({ instanceRefProperty: data('mine'), region: data('eu') }),
    })
    assert.deepEqual(
      changes.map(({ property, after }) => [property, after]),
      [
        ['instanceRefProperty', null],
        ['region', null],
      ],
    )
  })
})

suite('the plan of a DETACH', () => {
  const planned = plannedResource()
  const ledgerRow: LedgerRow = {
    bundle_install_id: 'id',
    locator: LOCATOR,
    scope_id: 1,
    kind: 'MODULE',
    title: 'Tenants before',
    module_id: 'module-tenants',
    version: '0.9.0',
    definitions: { old: { kind: 'DATA', schema: true } },
    written_by: {},
    properties: { old: data('o'), region: data('us') },
    verified_at: '2026-01-01T00:00:00.000Z',
  }

  test('is the ledger if nothing is taken over', () => {
    const plan = detachPlan({ ledger: [ledgerRow], plugins: [reader('first', 1)] })
    assert.deepEqual(plan.plugins, [reader('first', 1)])
    assert.deepEqual(
      plan.resources.map(({ action, currentVersion, targetVersion, properties }) => [
        action,
        currentVersion,
        targetVersion,
        properties,
      ]),
      [['DETACH', '0.9.0', '0.9.0', ledgerRow.properties]],
    )
  })
  test('is the union with the plan taken over, and the later one wins', () => {
    const other = plannedResource({ locator: 'source/crm/TIMER/nightly', properties: {} })
    const plan = detachPlan({
      ledger: [ledgerRow],
      plugins: [reader('first', 1), authorization({ order: 9, resources: [] })],
      takenOver: {
        plan: { resources: [other, planned], plugins: [authorization(), reader('second', -1)], changes: [] },
        writes: { [LOCATOR]: { tenantId: data('t') } },
      },
    })
    assert.deepEqual(
      plan.plugins.map(({ pluginId, order }) => [pluginId, order]),
      [
        ['second', -1],
        ['first', 1],
        ['provisioner', 1],
      ],
    )
    const [module, timer] = plan.resources
    assert.equal(module?.currentVersion, '0.9.0')
    assert.equal(module?.targetVersion, '1.0.0')
    assert.deepEqual(module?.properties, { ...planned.properties, old: data('o'), tenantId: data('t') })
    assert.ok(module?.definitions['old'] !== undefined && module.definitions['region'] !== undefined)
    assert.equal(timer?.currentVersion, null)
    assert.equal(timer?.action, 'DETACH')
  })
  test('keeps a value sensitive that was set as such, even if the plan taken over shows the property', () => {
    const definitions = {
      ...ledgerRow.definitions,
      region: { kind: 'DATA', schema: true, isSensitive: true },
    }
    const row = { ...ledgerRow, definitions, properties: { region: data(1234, true) } } as LedgerRow
    const { region: _, ...dropped } = planned.properties
    const regionOf = (properties: typeof planned.properties) => {
      const plan = { ...planWith(), resources: [{ ...planned, properties }] }
      const taken = detachPlan({ ledger: [row], plugins: [], takenOver: { plan, writes: {} } }).resources[0]
      return [taken?.properties['region'], taken?.definitions['region']?.isSensitive]
    }
    assert.deepEqual(regionOf(dropped), [data(1234, true), true])
    assert.deepEqual(regionOf(planned.properties), [data('eu'), undefined])
  })
  test('keeps what a plugin was authorized for before', () => {
    const elsewhere = { ...authorization().resources[0]!, resource: 'source/crm/MODULE/other' }
    const plan = detachPlan({
      ledger: [],
      plugins: [authorization({ resources: [elsewhere] })],
      takenOver: { plan: planWith(), writes: {} },
    })
    assert.deepEqual(
      plan.plugins[0]?.resources.map(({ resource }) => resource),
      ['source/crm/MODULE/other', LOCATOR],
    )
  })
})

test('values are sensitive if their definition says so or is missing', () => {
  const plan = planWith()
  plan.changes = [{ locator: LOCATOR, property: 'password', before: data('former'), after: null }]
  const found = sensitiveValues(plan, [
    null,
    { [LOCATOR]: { token: data('issued'), gone: data('who knows') } },
  ])
  assert.deepEqual(found, [SECRET, 'former', 'issued', 'who knows'])
})

test('a value is shown as its definition says, whatever its own flag', () => {
  const hidden = { '@type': 'Data', isSensitive: true, isSet: true }
  const shown: PropertyDefinition = { kind: 'DATA', schema: true }
  assert.deepEqual(propertyView({ ...shown, isSensitive: true }, data('plain')), hidden)
  assert.deepEqual(propertyView(undefined, data('plain')), hidden)
  assert.deepEqual(propertyView(shown, data('plain', true)), hidden)
  assert.deepEqual(propertyView(shown, data('plain')), data('plain'))
})
