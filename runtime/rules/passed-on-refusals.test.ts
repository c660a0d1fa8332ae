import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { JsonObject, JsonValue } from '#contract/json-schema/json.ts'
import { RESOLVE, textOf } from '../testing/http.ts'
import type { ArrivedCall, Reply } from '../testing/plugin.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, startRuleHarness, TEXT } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'
import { inTransaction } from '#database/transaction.ts'
import { addRefusals, pruneRefusals } from '../store/plugins/refusals.ts'
import type { RefusedRead } from '../store/plugins/refusals.ts'
import { refusalRecorder } from '../use-cases/references/record-refusals.ts'

// A plugin resolves a reference during its call, this platform refuses, and the plugin passes that on as its own failure. The
// platform answers for itself: who acts next follows its own rule (docs/runtime-api.md#next-step).

const hub = bundleOf('mail-hub', {
  resources: [moduleOf('main', { name: { ...TEXT, required: false } })],
  plugins: [],
})
const app = bundleOf('signing', {
  resources: [moduleOf('main', { link: { kind: 'SERVICE_REFERENCE' } })],
  plugins: [bindingOf('connector', 1, { main: { resolves: ['link'] } })],
})
const MAIN = locatorOf(app, 'main')

let harness: RuleHarness
let credential: { id: string; secret: string }
before(async () => {
  harness = await startRuleHarness()
  await harness.registerWith('connector', { maxAttempts: 2 })
  await harness.publish(hub, app)
  await newCredential()
})
after(() => harness.close())

async function newCredential(): Promise<void> {
  const made = await harness.ok('/plugins/connector/credentials', { method: 'POST', body: {} })
  credential = { id: textOf(made['credentialId']), secret: textOf(made['secret']) }
}

async function resolve(
  { request }: Pick<ArrivedCall, 'request'>,
  changes: JsonObject = {},
): Promise<JsonObject> {
  const asked = {
    contractVersion: '4.0.0',
    installation: request.installation,
    resource: MAIN,
    propertyKey: 'link',
  }
  const response = await harness.http.send(RESOLVE, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...asked, ...changes }),
  })
  return (await response.json()) as JsonObject
}

/** As a plugin answers that passes on what it was refused. */
const passedOn = ({ errorCode, data }: JsonObject): Reply => ({
  errorCode: textOf(errorCode),
  data: { ...(data as JsonObject), errorPath: ['connector', 'module-plugin-manager'] },
})

/** Installs the bundle with a service of the hub. Between the stages, `change` does something to what the plugin needs. */
async function failsAfter(
  change: (owner: string) => Promise<unknown>,
  answer: (call: ArrivedCall) => Promise<Reply> = async (call) => passedOn(await resolve(call)),
) {
  const scope = harness.newScope()
  const owner = await harness.installed(hub, { scope })
  const service = {
    title: 'Mail',
    url: 'http://127.0.0.1:9/mail',
    methods: [],
    enabled: true,
    consumers: [{ ...scope }],
  }
  const owned = { ...service, owner: { bundleInstallId: owner, locator: locatorOf(hub, 'main') } }
  await harness.ok('/services/mail', { method: 'PUT', body: owned })
  let isChanged = false
  harness.plugin.script(async (call) => {
    if (call.stage === 'BEFORE_RESOURCES') return { outcome: 'APPLIED' }
    if (!isChanged) await change(owner)
    isChanged = true
    return answer(call)
  })
  const { operationId } = await harness.install(app, {
    scope,
    properties: { [MAIN]: { link: { '@type': 'ServiceReference', serviceId: 'mail' } } },
  })
  const ended = await harness.ended(operationId)
  assert.equal(ended.state, 'FAILED', JSON.stringify(ended.failure))
  const { failure, nextStep, retryHelps } = ended
  assert.ok(failure)
  return { ended, failure, retryHelps, next: `${nextStep.actor} ${nextStep.action}` }
}

const revoke = () => harness.ok(`/plugins/connector/credentials/${credential.id}`, { method: 'DELETE' })

describe('a failure that a plugin passes on from this platform', () => {
  it('whose credential was revoked needs an administrator, and a retry then succeeds', async () => {
    const { ended, failure, next, retryHelps } = await failsAfter(revoke)
    assert.deepEqual([next, retryHelps], ['ADMINISTRATOR CREATE_CREDENTIAL', 'AFTER_CHANGE'])
    // the plugin's own text stays
    assert.equal(failure.message, 'This plugin credential was revoked.')
    assert.equal(failure.parameters, undefined)
    const { at, ...refused } = failure.refusedHere ?? {}
    assert.deepEqual(refused, { endpoint: 'RESOLVE', rule: 'CREDENTIAL_REVOKED', code: 'CREDENTIAL_REVOKED' })
    const attempt = ended.stages[1]?.calls[0]?.attempts.at(-1)
    assert.ok(attempt && Date.parse(at ?? '') >= Date.parse(attempt.startedAt))
    assert.deepEqual(attempt.failure?.refusedHere, failure.refusedHere)
    // the list finds it by who acts next
    const { items } = await harness.ok('/operations?nextActor=ADMINISTRATOR', {})
    assert.ok((items as { operationId: string }[]).some((one) => one.operationId === ended.operationId))

    await newCredential()
    harness.plugin.script(async (call) => {
      await resolve(call)
      return { outcome: 'APPLIED' }
    })
    await harness.retry(ended)
    await harness.succeeds(ended.operationId)
  })

  it('whose service lost its installation needs an operator, also after retries of the plugin', async () => {
    const { failure, next } = await failsAfter(async (owner) => harness.succeeds(await harness.detach(owner)))
    assert.equal(next, 'OPERATOR RESTORE_SERVICE')
    assert.equal(failure.attemptsUsed, 2)
    assert.equal(failure.refusedHere?.rule, 'SERVICE_OWNER_NOT_ACTIVE')
    assert.equal(failure.refusedHere?.service, 'mail')
  })

  it('keeps the plugin’s owner as the actor if this platform refused nothing', async () => {
    await harness.db.deleteFrom('runtime.plugin_refusal').execute()
    const invented = passedOn({
      errorCode: 'CREDENTIAL_REVOKED',
      data: { message: 'Revoked.', retryable: false },
    })
    const { failure, next } = await failsAfter(
      () => Promise.resolve(),
      () => Promise.resolve(invented),
    )
    assert.equal(failure.refusedHere, undefined)
    assert.equal(next, 'PLUGIN_OWNER FIX_CAUSE')
  })

  it('is not that of a forgotten process with a revoked credential, if the plugin passes on another one', async () => {
    await revoke()
    const forgotten = credential
    await newCredential()
    const other = passedOn({ errorCode: 'QUOTA_EXCEEDED', data: { message: 'Full.', retryable: false } })
    const { failure, next } = await failsAfter(
      () => Promise.resolve(),
      async (call) => {
        const own = credential
        credential = forgotten
        const { errorCode } = await resolve(call)
        credential = own
        assert.equal(errorCode, 'CREDENTIAL_REVOKED')
        return other
      },
    )
    assert.equal(failure.refusedHere, undefined)
    assert.equal(next, 'PLUGIN_OWNER FIX_CAUSE')
  })

  it('is that of a service which fails too many installations to have a row each', async () => {
    const unavailable = passedOn({
      errorCode: 'REFERENCE_TARGET_UNAVAILABLE',
      data: { message: 'Unavailable.', retryable: false },
    })
    const refused = {
      pluginId: 'connector',
      endpoint: 'RESOLVE',
      rule: 'SERVICE_DISABLED',
      code: 'REFERENCE_TARGET_UNAVAILABLE',
      place: null,
    } as const
    // the installation refers to mail only
    for (const [serviceId, expected] of [
      ['another', 'PLUGIN_OWNER FIX_CAUSE'],
      ['mail', 'ADMINISTRATOR RESTORE_SERVICE'],
    ] as const) {
      const { failure, next } = await failsAfter(
        () => addRefusals(harness.db, { ...refused, serviceId }, 5_000),
        () => Promise.resolve(unavailable),
      )
      assert.equal(next, expected)
      assert.equal(failure.refusedHere?.service, serviceId === 'mail' ? 'mail' : undefined)
    }
  })
})

describe('the record of refused calls', () => {
  const rows = () => harness.db.selectFrom('runtime.plugin_refusal').selectAll().execute()
  const refusedFor = (changes: Partial<RefusedRead>): RefusedRead => ({
    pluginId: 'connector',
    endpoint: 'RESOLVE',
    rule: 'NOT_AUTHORIZED',
    code: 'REFERENCE_NOT_AUTHORIZED',
    serviceId: null,
    place: { bundleInstallId: crypto.randomUUID(), resource: MAIN, property: 'link' },
    ...changes,
  })

  it('of one plugin that invents names leaves room for others, and for a credential', async () => {
    await harness.db.deleteFrom('runtime.plugin_refusal').execute()
    const record = refusalRecorder(harness.http.runtime.deps)
    const revoked = { rule: 'CREDENTIAL_REVOKED', code: 'CREDENTIAL_REVOKED', place: null } as const
    await Promise.all([
      ...Array.from({ length: 300 }, () => record(refusedFor({}))),
      record(refusedFor({ pluginId: 'another' })),
      record(refusedFor(revoked)),
    ])
    const kept = await rows()
    assert.deepEqual(kept.map(({ plugin_id, rule }) => `${plugin_id} ${rule}`).toSorted(), [
      'another NOT_AUTHORIZED',
      'connector CREDENTIAL_REVOKED',
      'connector NOT_AUTHORIZED',
    ])
    const written = kept.find((row) => row.plugin_id === 'connector' && row.rule === 'NOT_AUTHORIZED')
    assert.ok(written && written.refusals >= 100 && written.refusals < 150, `${written?.refusals}`)
  })

  it('has one row for a service that fails more installations than can be written', async () => {
    await harness.db.deleteFrom('runtime.plugin_refusal').execute()
    const record = refusalRecorder(harness.http.runtime.deps)
    const scope = harness.newScope()
    const bundleInstallId = await harness.installed(hub, { scope })
    const rule = 'SERVICE_DISABLED'
    const off = { rule, code: 'REFERENCE_TARGET_UNAVAILABLE', serviceId: 'mail' } as const
    const place = { bundleInstallId, resource: locatorOf(hub, 'main'), property: 'name' }
    // others use up what may be written
    await Promise.all([
      ...Array.from({ length: 100 }, () => record(refusedFor({}))),
      ...Array.from({ length: 300 }, () => record(refusedFor(off))),
      record(refusedFor({ ...off, place })),
    ])
    const kept = (await rows()).filter((row) => row.rule === rule)
    assert.deepEqual(
      kept.map(({ service_id, bundle_install_id }) => [service_id, bundle_install_id]),
      [['mail', null]],
    )
  })

  it('is committed before any of equal refusals returns, and is tried again after a failed write', async () => {
    await harness.db.deleteFrom('runtime.plugin_refusal').execute()
    const { deps } = harness.http.runtime
    const record = refusalRecorder(deps)
    const refused = refusedFor({})
    const keptAtReturn: number[] = []
    await inTransaction(deps.db, async (tx) => {
      await sql`lock table runtime.plugin_refusal in exclusive mode`.execute(tx)
      const both = [refused, refused].map((one) =>
        record(one).then(async () => keptAtReturn.push((await rows()).length)),
      )
      await deps.clock.sleep(100)
      assert.deepEqual(keptAtReturn, [])
      return both
    }).then((both) => Promise.all(both))
    assert.deepEqual(keptAtReturn, [1, 1])

    const other = refusedFor({ pluginId: 'another' })
    await sql`create function runtime.refuse_for_test() returns trigger language plpgsql as
      $$ begin raise exception 'read-only' using errcode = '25006'; end $$`.execute(harness.db)
    await sql`create trigger refuse_for_test before insert on runtime.plugin_refusal
      execute function runtime.refuse_for_test()`.execute(harness.db)
    await record(other)
    await sql`drop function runtime.refuse_for_test() cascade`.execute(harness.db)
    await record(other)
    assert.equal((await rows()).filter((row) => row.plugin_id === 'another').length, 1)
  })

  it('has one row for what is the same, and none for what a plugin invents', async () => {
    await harness.db.deleteFrom('runtime.plugin_refusal').execute()
    const { ended } = await failsAfter(
      () => Promise.resolve(),
      () => Promise.resolve({ errorCode: 'STOP', data: null }),
    )
    const { installation } = ended
    const call = { request: { installation } } as unknown as ArrivedCall
    for (let count = 0; count < 20; count++) {
      const invented: JsonValue = { ...installation, bundleInstallId: crypto.randomUUID() }
      await resolve(call, { installation: invented })
    }
    for (let count = 0; count < 20; count++) await resolve(call, { propertyKey: `invented${count}` })
    // those of one installation within half a second are counted together
    await harness.http.runtime.deps.clock.sleep(600)
    for (let count = 0; count < 20; count++)
      await resolve(call, { resource: `dev/signing/MODULE/invented${count}` })
    const kept = (await rows()).map(({ rule, bundle_install_id, locator, property, refusals }) => ({
      rule,
      isInstalled: bundle_install_id !== null,
      isResource: locator !== null,
      property,
      refusals,
    }))
    // no installation, no resource, and no property of this name
    for (const [isInstalled, isResource] of [
      [false, false],
      [true, false],
      [true, true],
    ] as const) {
      const [found, ...others] = kept.filter(
        (row) => row.isInstalled === isInstalled && row.isResource === isResource,
      )
      assert.ok(found && others.length === 0)
      assert.deepEqual([found.rule, found.property], ['NOT_AUTHORIZED', null])
      assert.ok(isInstalled || found.refusals === 20)
    }
    assert.equal(kept.length, 3)
  })

  it('is left out while the database accepts no writes, and the plugin gets its refusal', async () => {
    await harness.db.deleteFrom('runtime.plugin_refusal').execute()
    await sql`create function runtime.refuse_for_test() returns trigger language plpgsql as
      $$ begin raise exception 'read-only' using errcode = '25006'; end $$`.execute(harness.db)
    await sql`create trigger refuse_for_test before insert on runtime.plugin_refusal
      execute function runtime.refuse_for_test()`.execute(harness.db)
    const call = { request: { installation: {} } } as unknown as ArrivedCall
    await revoke()
    const answer = await resolve(call)
    await sql`drop function runtime.refuse_for_test() cascade`.execute(harness.db)
    assert.equal(answer['errorCode'], 'CREDENTIAL_REVOKED')
    assert.deepEqual(await rows(), [])
    await newCredential()
  })

  it('repeats cost few writes, and old rows are removed', async () => {
    await harness.db.deleteFrom('runtime.plugin_refusal').execute()
    await revoke()
    const call = { request: { installation: {} } } as unknown as ArrivedCall
    await harness.http.runtime.deps.clock.sleep(600)
    for (let count = 0; count < 50; count++) await resolve(call)
    const [row] = await rows()
    assert.ok(row?.rule === 'CREDENTIAL_REVOKED')
    // the others within half a second are written with the next one
    assert.ok(row.refusals < 50)
    assert.equal(await pruneRefusals(harness.db, 10), 0)
    await harness.db
      .updateTable('runtime.plugin_refusal')
      .set({ last_at: '2020-01-01T00:00:00.000Z' })
      .execute()
    assert.equal(await pruneRefusals(harness.db, 10), 1)
    await newCredential()
  })
})
