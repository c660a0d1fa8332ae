import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, suite, test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { wrapData } from '#contract/protocol/data.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { saveConfiguration } from '#runtime/use-cases/configuration/save.ts'
import { upgrade } from '#runtime/use-cases/installations/upgrade.ts'
import { recover } from '#runtime/store/recovery/recover.ts'
import { engineSteps, testEngine } from '#runtime/testing/engine.ts'
import { CORE, crm, SCOPE, startInstall } from '#runtime/testing/bundles.ts'
import type { ClientWrite, Delivery } from './evidence.ts'
import type { Facts } from './facts.ts'
import { checkInvariants, judgeFacts } from './check-invariants.ts'
import { checkCanary, checkTexts } from './canaries.ts'
import { installJournal, readJournal } from './journal.ts'
import type { Reader } from './reader.ts'
import { allScopes, readState } from './state.ts'

const engine = await testEngine()
const { endsWell, failsWith, retry, takeOver } = engineSteps(engine)
const { runtime } = engine
const reader: Reader = {
  query: (text, values) => runtime.db.executeQuery(CompiledQuery.raw(text, values)),
}
const REQUEST = runtime.actor.requestId

/** A real run: an INSTALL and a CONFIGURE that succeed, and an UPGRADE that fails twice and is taken over. */
async function realFacts(): Promise<Facts> {
  const next: AuthorManifest = { ...crm, version: '2.0.0' }
  for (const manifest of [crm, next]) await runtime.publish(manifest)
  await engine.register('tenants', { maxAttempts: 1 })
  const writes: ClientWrite[] = []
  const accepted = (kind: ClientWrite['kind'], operations: ClientWrite['operations']): ClientWrite => ({
    kind,
    requestIds: [],
    result: 'accepted',
    operations,
    responses: ['the same'],
  })

  engine.plugin.script(() => ({ outcome: 'APPLIED', resources: { [CORE]: { tenantId: wrapData('t-1') } } }))
  const installed = await startInstall(runtime, crm, {
    properties: {
      [CORE]: { name: wrapData('Acme'), password: { ...wrapData('canary-1'), isSensitive: true } },
    },
  })
  const install = await endsWell(installed.operation.operationId)
  writes.push(accepted('INSTALL', [{ ...installed.operation }]))
  const body = { snapshotVersion: 2, changes: { [CORE]: { name: wrapData('Other') } } }
  const saved = await runtime.write((context) =>
    saveConfiguration(context, { params: SCOPE, query: {}, body }),
  )
  for (const { operationId } of saved.operations) await endsWell(operationId)
  const snapshot = { scopeId: install.scope_id, version: saved.snapshotVersion, base: 2 }
  writes.push({ ...accepted('CONFIGURE', saved.operations), snapshot })

  engine.plugin.script(() => ({ outcome: 'FAILED' }))
  const params = { bundleInstallId: installed.bundleInstallId }
  const upgraded = await runtime.write((context) =>
    upgrade(context, { params, query: {}, body: { targetVersion: '2.0.0' } }),
  )
  const { operationId } = upgraded.operation
  await failsWith(operationId, 'PLUGIN_REPORTED_FAILURE')
  await retry(operationId, 1)
  await failsWith(operationId, 'PLUGIN_REPORTED_FAILURE')
  engine.plugin.script(() => ({ outcome: 'APPLIED' }))
  const detached = await takeOver(operationId, 2)
  await endsWell(detached.operation.operationId)

  const deliveries = engine.plugin.calls.map(({ pluginId, stage, body: sent, request }): Delivery => ({
    pluginId,
    stage,
    operationId: request.operation.operationId,
    bundleInstallId: request.installation.bundleInstallId,
    executionSequence: request.executionSequence,
    bodyHash: createHash('sha256').update(sent).digest('hex'),
    isEffect: request.operation.operationType !== 'UPGRADE',
    answered: request.operation.operationType === 'UPGRADE' ? 'FAILED' : 'APPLIED',
  }))
  const scopes = await allScopes(reader)
  const [state, journal] = [await readState(reader, scopes), await readJournal(reader, scopes)]
  return { deliveries, writes, isQuiet: true, state, journal }
}

/** Planted violations: the promise that is broken, and how. */
const PLANTED: Record<string, [promise: string, plant: (facts: Facts) => void]> = {
  'a second effect': [
    'I1',
    ({ deliveries }) => void push(deliveries, { ...at(deliveries, 0), isCopy: true }),
  ],
  'a success that no plugin answered': ['I1', (facts) => void (at(facts.deliveries, 0).answered = 'nothing')],
  'other bytes in a repeat': [
    'I2',
    ({ deliveries }) => void push(deliveries, { ...last(deliveries), isEffect: false, bodyHash: 'other' }),
  ],
  'a sequence that increased with a retry': [
    'I2',
    (facts) => void (at(facts.deliveries, 5).executionSequence += 1),
  ],
  'a stage that started too early': [
    'I3',
    ({ state }) => void (find(state.attempts, 'AFTER_RESOURCES').started_at -= 1e6),
  ],
  'a success with an open call': ['I3', ({ state }) => void (at(state.calls, 0).ended_well = false)],
  'a call without an attempt': [
    'I3',
    ({ deliveries }) => void push(deliveries, { ...at(deliveries, 0), isEffect: false }),
  ],
  'two claims': ['I4', ({ state }) => state.operations.forEach((row) => (row.holds_claim = true))],
  'an operation created before the previous one ended': [
    'I4',
    ({ state }) => void (at(state.operations, 1).created_at -= 1e6),
  ],
  'a sequence used again': ['I5', ({ state }) => void (at(state.operations, 2).execution_sequence = 1)],
  'a lower epoch': ['I6', ({ state }) => void (last(state.operations).lease_epoch = 0)],
  'a change after the lease': ['I6', (facts) => void (heldChange(facts).at += 1e6)],
  'a change by another process': ['I6', (facts) => void (heldChange(facts).actor = 'another process')],
  'a snapshot that is missing': ['I7', ({ state }) => void state.snapshots.splice(1, 1)],
  'a save without its operation': [
    'I7',
    ({ state }) => void (at(state.operations, 1).operation_type = 'INSTALL'),
  ],
  'a change from a stale value': [
    'I7',
    ({ state }) => void (last(state.changes).before = { value: 'stale' }),
  ],
  'a value that was lost': ['I7', ({ state }) => void (state.changes.at(-1)!.after = { value: 'lost' })],
  'a finished operation that changed': [
    'I8',
    (facts) => void (succeededChange(facts).after!.state = 'RUNNING'),
  ],
  'an unknown result reported as known': ['I9', ({ state }) => plantUnknown(state)],
  'an earlier unknown result reported as known': ['I9', ({ state }) => plantEarlier(state, 'callTimeout')],
  'an operation that does not end': ['I10', ({ state }) => void (last(state.operations).state = 'WAITING')],
  'an acknowledged operation that is lost': [
    'I11',
    ({ writes }) => void (at(at(writes, 0).operations, 0).operationId = 'lost'),
  ],
  'two responses for one key': ['I11', ({ writes }) => void (at(writes, 0).responses = ['one', 'another'])],
  'an acknowledged save that is lost': [
    'I11',
    ({ writes }) => void (at(writes, 1).snapshot = { scopeId: 1, version: 99, base: 98 }),
  ],
  'a plan that is missing': ['I12', ({ state }) => void (at(state.operations, 0).resources = null)],
  'a resource that was not removed': ['I12', ({ state }) => void push(state.resources, aResource(state))],
  'an installation in the wrong state': [
    'I12',
    ({ state }) => void (at(state.installations, 0).state = 'ACTIVE'),
  ],
  'a missing audit entry': ['I13', ({ state }) => void state.audit.splice(0, 1)],
  'an audit entry too many': ['I13', ({ state }) => void push(state.audit, at(state.audit, 0))],
  'an audit entry in a separate transaction': ['I13', (facts) => void (auditChange(facts).xid = '1')],
  'a step without an event': [
    'I14',
    ({ state }) => void (state.events = state.events.filter(({ event_id }) => event_id > 4)),
  ],
  'events of a configuration in the wrong order': ['I14', ({ state }) => void state.events.reverse()],
  'an event of a version that does not exist': [
    'I14',
    ({ state }) => void (configurationEvent(state).version = 99),
  ],
  'a protected property that changed': ['I16', ({ state }) => void push(state.properties, aProperty(state))],
  'an effect from the past': [
    'I17',
    ({ deliveries }) => void push(deliveries, { ...at(deliveries, 0), operationId: 'older' }),
  ],
  'a call after the takeover': ['I20', ({ state }) => void (failedAttempt(state).finished_at! += 1e9)],
}

suite('the invariants', () => {
  let facts: Facts
  before(async () => {
    await installJournal(reader)
    facts = await realFacts()
  })
  after(() => engine.close())

  test('a real run breaks none', async () => {
    assert.deepEqual(await checkInvariants(reader, facts), [])
    assert.equal(facts.state.operations.length, 4)
    assert.ok((facts.journal ?? []).length > 20)
  })

  for (const [name, [promise, plant]] of Object.entries(PLANTED)) {
    test(`${name} is found`, () => {
      const planted = structuredClone(facts)
      plant(planted)
      const promises = judgeFacts(planted).map((violation) => violation.promise)
      assert.ok(promises.includes(promise), `found only ${promises.join()}`)
    })
  }

  test('an earlier attempt that the plugin never received is no unknown result', () => {
    const planted = structuredClone(facts)
    plantEarlier(planted.state, 'callRefused')
    assert.ok(judgeFacts(planted).every(({ promise }) => promise !== 'I9'))
  })

  test('a refused write that left an audit entry is found', () => {
    const write: ClientWrite = {
      ...at(facts.writes, 0),
      result: 'refused',
      requestIds: [REQUEST],
      operations: [],
    }
    const promises = judgeFacts({ ...facts, writes: [write] }).map(({ promise }) => promise)
    assert.ok(promises.includes('I12'))
  })

  test('an accepted write with the audit entries of other writes is found', () => {
    const write: ClientWrite = { ...at(facts.writes, 0), requestIds: [REQUEST] }
    const promises = judgeFacts({ ...facts, writes: [write] }).map(({ promise }) => promise)
    assert.ok(promises.includes('I13'))
  })

  test('a recovery leaves a gap and no events, and violates nothing; the same gap without one is found', async () => {
    await recover(runtime.db, { isForced: true })
    const recovered = { ...facts, state: await readState(reader, await allScopes(reader)) }
    assert.deepEqual(judgeFacts(recovered), [])
    assert.equal(recovered.state.events.length, 0)
    for (const row of recovered.state.snapshots) row.is_recovery = false
    assert.deepEqual([...new Set(judgeFacts(recovered).map(({ promise }) => promise))], ['I7'])
  })

  test('a sensitive value is a violation in plain text, in any table or log, but not if it is encrypted', async () => {
    assert.deepEqual(await checkCanary(reader, 'canary-1'), [])
    // also in columns that hold it encrypted
    await reader.query(`update runtime.snapshot_change set before = '{"value":"canary-1"}'`)
    await reader.query(`update runtime.plugin_call set request = 'canary-1' where request is not null`)
    assert.deepEqual(
      (await checkCanary(reader, 'canary-1')).map(({ seen }) => seen.replace(/^\d+/, 'some')),
      ['plugin_call', 'snapshot_change'].map((table) => `some rows of ${table} contain a sensitive value`),
    )
    await reader.query(`update runtime.snapshot_change set before = null`)
    await reader.query(`update runtime.plugin_call set request = '' where request is not null`)
    await reader.query(`update runtime.operation set reason = 'canary-1' where execution_sequence = 1`)
    assert.deepEqual(
      (await checkCanary(reader, 'canary-1')).map(({ promise }) => promise),
      ['I15'],
    )
    assert.deepEqual(checkTexts('canary-1', 'the log', ['nothing special']), [])
    assert.equal(checkTexts('canary-1', 'the log', ['got canary-1'])[0]?.promise, 'I15')
  })
})

const push = <Item>(items: readonly Item[], item: Item) => (items as Item[]).push(item)

function at<Item>(items: readonly Item[], index: number): { -readonly [Key in keyof Item]: Item[Key] } {
  const item = items[index]
  assert.ok(item !== undefined)
  return item
}

const last = <Item>(items: readonly Item[]) => at(items, items.length - 1)

const find = <Item extends { stage: string }>(items: readonly Item[], stage: string): Item => {
  const item = items.find((one) => one.stage === stage)
  assert.ok(item !== undefined)
  return item
}

function heldChange({ journal }: Facts) {
  const change = journal?.find(
    (one) => one.relation === 'operation' && one.before !== null && one.before.lease_owner !== null,
  )
  assert.ok(change !== undefined)
  return change
}

function succeededChange({ journal }: Facts) {
  const change = journal?.find((one) => one.relation === 'operation' && one.after?.state === 'SUCCEEDED')
  assert.ok(change?.relation === 'operation')
  change.before = { ...change.after!, state: 'SUCCEEDED' }
  return change
}

function auditChange({ journal }: Facts) {
  const change = journal?.find(({ relation }) => relation === 'audit_entry')
  assert.ok(change !== undefined)
  return change
}

function plantUnknown({ calls, attempts }: Facts['state']): void {
  const call = calls.find(({ failed }) => failed)
  assert.ok(call !== undefined)
  for (const attempt of attempts) if (attempt.operation_id === call.operation_id) attempt.http_status = null
}

/** An attempt without a response before the last one of a call that failed, which asks for a repetition. */
function plantEarlier({ calls, attempts }: Facts['state'], reason: string): void {
  const call = calls.find(({ failed }) => failed)
  const index = attempts.findLastIndex(({ operation_id }) => operation_id === call?.operation_id)
  const last = at(attempts, index)
  last.retryable = true
  const earlier = {
    ...last,
    attempt: 0,
    outcome: null,
    http_status: null,
    error_code: 'PLUGIN_TIMEOUT',
    reason,
  }
  attempts.splice(index, 0, earlier)
}

function configurationEvent({ events }: Facts['state']) {
  const event = events.find(({ kind }) => kind === 'configuration')
  assert.ok(event !== undefined)
  return event
}

function failedAttempt({ attempts }: Facts['state']) {
  const attempt = attempts.find(({ outcome }) => outcome === 'FAILED')
  assert.ok(attempt !== undefined)
  return attempt
}

const aResource = ({ installations }: Facts['state']) => {
  const { bundle_install_id, scope_id } = at(installations, 0)
  return { bundle_install_id, scope_id, locator: CORE, version: '1.0.0', instance_ref: null }
}

const aProperty = ({ installations }: Facts['state']) => {
  const { bundle_install_id, scope_id } = at(installations, 0)
  const value = { '@type': 'Data', value: 'another' }
  return { bundle_install_id, scope_id, locator: CORE, property: 'instanceRefProperty', value }
}
