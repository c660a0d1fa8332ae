import assert from 'node:assert/strict'
import { createHmac, randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import type { JsonObject } from '#contract/json-schema/json.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import { MASK, wrapData } from '#contract/protocol/data.ts'
import { AuditEntry } from '#contract/runtime-api/audit.ts'
import { Webhook, WebhookDelivery } from '#contract/runtime-api/webhooks.ts'
import { inTransaction } from '#database/transaction.ts'
import { bindingOf, bundleOf, locatorOf, moduleOf, startRuleHarness, TEXT } from '../testing/rules.ts'
import type { RuleHarness } from '../testing/rules.ts'
import { expireDeliveries, reportRetrying, takeDeliveries } from '../store/webhooks/deliver.ts'
import { startNotifications } from './run-notifications.ts'
import { testHttp } from '../testing/http.ts'
import { until } from '../testing/stream.ts'
import { encodeCursor } from '../use-cases/paging.ts'
import { waitForLong } from '../testing/wait-for-long.ts'
import { delayMs } from './deliver.ts'
import { writeNotification } from './write-notification.ts'

const VALUE = 'VALUE_OF_A_PROPERTY'
const SECRET = 'zebra-secret-4711'
const guarded = bundleOf('guarded', {
  resources: [moduleOf('main', { name: TEXT, token: { ...TEXT, isSensitive: true } })],
  plugins: [bindingOf('guard', 1, { main: {} })],
})
const plain = bundleOf('plain', { resources: [moduleOf('main', { name: TEXT })] })

interface Arrived {
  path: string | undefined
  headers: IncomingHttpHeaders
  body: string
}

/** A receiver of webhooks, which answers with a status, or with nothing. */
async function startReceiver() {
  const arrived: Arrived[] = []
  const reply = { status: 200 }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      arrived.push({
        path: request.url,
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
      })
      if (reply.status === 302) response.setHeader('location', '/elsewhere')
      response.writeHead(reply.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    arrived,
    reply,
    url: `http://127.0.0.1:${port}/hook`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

describe('notifications', { concurrency: false }, () => {
  let deps: RuleHarness
  let receiver: Awaited<ReturnType<typeof startReceiver>>

  before(async () => {
    deps = await startRuleHarness()
    receiver = await startReceiver()
    await deps.register('guard')
    await deps.publish(guarded, plain)
  })
  after(async () => {
    await deps.close()
    await receiver.close()
  })

  const create = async (body: JsonObject = {}) => {
    const data = await deps.ok('/webhooks', {
      method: 'POST',
      body: {
        title: 'On call',
        url: receiver.url,
        events: ['operation.failed'],
        scope: null,
        retryingAfterMinutes: 30,
        ...body,
      },
    })
    const { webhookId } = Webhook.parse(data['webhook'])
    return { webhookId, secret: String(data['secret']) }
  }
  const log = async (webhookId: string) =>
    WebhookDelivery.array().parse((await deps.ok(`/webhooks/${webhookId}/deliveries`, {}))['items'])
  const webhook = async (webhookId: string) => {
    const all = Webhook.array().parse((await deps.ok('/webhooks', {}))['items'])
    const found = all.find((row) => row.webhookId === webhookId)
    assert.ok(found)
    return found
  }
  const sendTest = async (webhookId: string) =>
    String((await deps.ok(`/webhooks/${webhookId}/test`, { method: 'POST', body: {} }))['deliveryId'])
  const attempted = (webhookId: string, attempts: number) =>
    until(async () => (await log(webhookId))[0]?.attempts === attempts && (await hasResult(webhookId)))
  const hasResult = async (webhookId: string) => {
    const [row] = await log(webhookId)
    return row?.lastStatus !== null || row.lastError !== null
  }
  const ended = (webhookId: string, state: string) =>
    until(async () => (await log(webhookId))[0]?.state === state)
  const arrivedAs = (deliveryId: string | undefined) =>
    receiver.arrived.filter(({ headers }) => headers['webhook-id'] === deliveryId)
  /** The plugin quotes the value of a property wherever it can. */
  const failedOperation = async (scope: Scope = deps.newScope()) => {
    deps.plugin.script(() => ({
      errorCode: VALUE,
      data: { message: `Not ${VALUE}`, retryable: false, errorPath: ['guard', VALUE] },
    }))
    const properties = { [locatorOf(guarded, 'main')]: { name: wrapData(VALUE) } }
    const { operationId } = await deps.install(guarded, { scope, properties })
    return deps.fails(operationId, VALUE)
  }

  it('report a failed operation once, signed, with its cause and next step, and without a sensitive value', async () => {
    const { webhookId, secret } = await create()
    assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
    const { operationId } = await failedOperation()
    await ended(webhookId, 'DELIVERED')
    const [delivery, ...others] = await log(webhookId)
    assert.deepEqual([delivery?.operationId, delivery?.lastStatus, others], [operationId, 200, []])

    const [arrived] = arrivedAs(delivery?.deliveryId)
    assert.ok(arrived)
    const { headers, body } = arrived
    const signed = `${delivery?.deliveryId}.${String(headers['webhook-timestamp'])}.${body}`
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const expected = createHmac('sha256', key).update(signed).digest('base64')
    assert.equal(headers['webhook-signature'], `v1,${expected}`)
    assert.ok(Math.abs(Number(headers['webhook-timestamp']) - Date.now() / 1000) < 60)
    const { type, data } = JSON.parse(body) as { type: string; data: JsonObject }
    assert.equal(type, 'operation.failed')
    const { message, title, ...known } = data
    assert.deepEqual([message, title], [`Not ${VALUE}`, 'guarded'])
    assert.deepEqual(
      [known['operationId'], known['state'], known['errorCode'], known['retryHelps'], known['nextStep']],
      [
        operationId,
        'FAILED',
        VALUE,
        'AFTER_CHANGE',
        { actor: 'PLUGIN_OWNER', action: 'FIX_CAUSE', afterwards: { actor: 'SUPPORT', action: 'RETRY' } },
      ],
    )
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('keep the secret sealed, and return it once', async () => {
    const { webhookId, secret } = await create()
    const { rows } = await sql<{ text: string }>`
      select row_to_json(webhook)::text as text from runtime.webhook where webhook_id = ${webhookId}`.execute(
      deps.db,
    )
    const raw = Buffer.from(secret.slice('whsec_'.length), 'base64')
    assert.doesNotMatch(rows[0]?.text ?? '', new RegExp(raw.toString('hex')))
    assert.doesNotMatch(JSON.stringify(await webhook(webhookId)), /secret|whsec/)
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('are sent again under the same id until the receiver accepts them', async () => {
    const { webhookId } = await create()
    receiver.reply.status = 500
    const deliveryId = await sendTest(webhookId)
    await attempted(webhookId, 1)
    const [first] = await log(webhookId)
    assert.deepEqual([first?.state, first?.lastStatus], ['PENDING', 500])
    assert.ok((await webhook(webhookId)).failingSince !== null)

    // as after a crash: the lease of the attempt ends without a result
    await sql`update runtime.webhook_delivery set available_at = now()`.execute(deps.db)
    receiver.reply.status = 204
    await ended(webhookId, 'DELIVERED')
    const bodies = arrivedAs(deliveryId).map(({ body }) => body)
    assert.equal(bodies.length, 2)
    assert.equal(bodies[0], bodies[1])
    assert.equal((await webhook(webhookId)).failingSince, null)
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('do not follow a redirect (E03)', async () => {
    const { webhookId } = await create()
    receiver.reply.status = 302
    const deliveryId = await sendTest(webhookId)
    await attempted(webhookId, 1)
    assert.equal((await log(webhookId))[0]?.lastError, 'redirect')
    assert.equal(arrivedAs(deliveryId).length, 1)
    receiver.reply.status = 200
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('end when a receiver fails for days or is gone, which the webhook says', async () => {
    const { webhookId } = await create()
    await sql`update runtime.webhook set failing_since = now() - interval '4 days'`.execute(deps.db)
    receiver.reply.status = 500
    await sendTest(webhookId)
    await until(async () => (await webhook(webhookId)).disabledBecause === 'FAILING')
    assert.equal((await webhook(webhookId)).enabled, false)
    await failedOperation()
    assert.ok((await log(webhookId)).every(({ event }) => event === 'test'))

    const { webhookId: gone } = await create()
    receiver.reply.status = 410
    await sendTest(gone)
    await until(async () => (await webhook(gone)).disabledBecause === 'GONE')
    receiver.reply.status = 200
    for (const id of [webhookId, gone]) await deps.ok(`/webhooks/${id}`, { method: 'DELETE' })
  })

  it('have settings that are not changed on the basis of older ones', async () => {
    const { webhookId } = await create()
    const { updatedAt, title, url, events, scope, retryingAfterMinutes } = await webhook(webhookId)
    const save = (body: JsonObject) =>
      deps.http.call(`/webhooks/${webhookId}`, {
        method: 'PUT',
        body: { title, url, events, scope, retryingAfterMinutes, ...body },
      })
    assert.equal((await save({ title: 'Newer', expected: updatedAt })).errorCode, '0')
    assert.equal((await save({ title: 'Stale', expected: updatedAt })).errorCode, 'WEBHOOK_STALE')
    assert.equal((await webhook(webhookId)).title, 'Newer')
    assert.equal((await save({ title: 'Any' })).errorCode, '0')
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('wait while a person has disabled the webhook, also when a test of it fails', async () => {
    const { webhookId } = await create()
    receiver.reply.status = 500
    const { operationId } = await failedOperation()
    await attempted(webhookId, 1)
    const settings = {
      title: 'On call',
      url: receiver.url,
      events: ['operation.failed'],
      scope: null,
      retryingAfterMinutes: 30,
    }
    const enable = (enabled: boolean) =>
      deps.ok(`/webhooks/${webhookId}`, { method: 'PUT', body: { ...settings, enabled } })
    await enable(false)
    const deliveryId = await sendTest(webhookId)
    await until(
      async () => (await log(webhookId)).find((row) => row.deliveryId === deliveryId)?.lastStatus === 500,
    )
    const waiting = (await log(webhookId)).find((row) => row.operationId === operationId)
    assert.equal(waiting?.state, 'PENDING')
    assert.equal((await webhook(webhookId)).disabledBecause, null)
    receiver.reply.status = 200
    await enable(true)
    await until(
      async () =>
        (await log(webhookId)).find((row) => row.operationId === operationId)?.state === 'DELIVERED',
    )
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('reach a receiver while another one does not respond', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const { webhookId: stuck } = await create({ url: `http://127.0.0.1:${port}/hook` })
    for (let index = 0; index < 50; index++) await sendTest(stuck)
    const { webhookId } = await create()
    await sendTest(webhookId)
    await ended(webhookId, 'DELIVERED')
    for (const id of [stuck, webhookId]) await deps.ok(`/webhooks/${id}`, { method: 'DELETE' })
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
  })

  it('of a receiver with deliveries in flight come after those of others (E07)', async (t) => {
    const quiet = await testHttp()
    t.after(() => quiet.close())
    const { db } = quiet.runtime.deps
    const made: string[] = []
    for (const count of [5, 1]) {
      const body = { title: 'One', url: receiver.url, events: ['batch.finished'], scope: null }
      const { data } = await quiet.call('/webhooks', {
        method: 'POST',
        body: { ...body, retryingAfterMinutes: 30 },
      })
      const { webhookId } = Webhook.parse(data['webhook'])
      made.push(webhookId)
      for (let sent = 0; sent < count; sent++)
        await quiet.call(`/webhooks/${webhookId}/test`, { method: 'POST', body: {} })
    }
    const [slow = '', other = ''] = made
    const taken = async (limit: number, inFlight: number) =>
      (await takeDeliveries(db, limit, new Map([[slow, inFlight]]))).map((delivery) => delivery.webhook_id)
    assert.deepEqual(await taken(1, 2), [other])
    assert.deepEqual(await taken(20, 2), [slow])
    assert.deepEqual(await taken(20, 3), [])
  })

  it('are tried again later if the secret cannot be opened, and the log says so', async () => {
    const { webhookId } = await create()
    await sql`update runtime.webhook set secret = '\\x00'::bytea where webhook_id = ${webhookId}`.execute(
      deps.db,
    )
    await sendTest(webhookId)
    await attempted(webhookId, 1)
    assert.equal((await log(webhookId))[0]?.lastError, 'not-sent')
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('have the form that the receiver reads, in which text of others cannot mention, link or format', async () => {
    const hostile = 'Full <!channel> *now* `x` @all https://evil.example.com\u202e'
    const fail = (message: string) =>
      deps.plugin.script(() => ({ errorCode: 'FULL', data: { message, retryable: false } }))
    fail(hostile)
    const bodyAs = async (format: string) => {
      const { webhookId } = await create({ format, title: format })
      assert.equal((await webhook(webhookId)).format, format)
      const properties = { [locatorOf(guarded, 'main')]: { token: wrapData(SECRET) } }
      const { operationId } = await deps.install(guarded, { scope: deps.newScope(), properties })
      await deps.fails(operationId, 'FULL')
      await ended(webhookId, 'DELIVERED')
      const [delivery] = await log(webhookId)
      // a form that is left out stays
      const { format: kept } = await deps.ok(`/webhooks/${webhookId}`, {
        method: 'PUT',
        body: {
          title: format,
          url: receiver.url,
          events: ['operation.failed'],
          scope: null,
          retryingAfterMinutes: 30,
        },
      })
      assert.equal(kept, format)
      await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
      const [arrived] = arrivedAs(delivery?.deliveryId)
      assert.doesNotMatch(arrived?.body ?? SECRET, new RegExp(SECRET))
      return { operationId, body: JSON.parse(arrived?.body ?? '{}') as Record<string, string> }
    }
    const chat = await bodyAs('CHAT')
    assert.deepEqual(Object.keys(chat.body), ['text'])
    const [first, cause, next] = (chat.body['text'] ?? '').split('\n')
    assert.match(first ?? '', /^Failed: install `guarded` in `[^`]+`$/)
    assert.equal(
      cause,
      '`Full &lt;!channel&gt; *now* ˋxˋ @all https://evil.example.com\ufffd` (`FULL`, `guard`)',
    )
    assert.equal(next, 'Next step: plugin owner, fix cause; then support, retry')
    assert.match(chat.body['text'] ?? '', new RegExp(`Operation ID: ${chat.operationId}$`))
    const mail = await bodyAs('MAIL')
    assert.deepEqual(Object.keys(mail.body), ['subject', 'text'])
    assert.match(mail.body['subject'] ?? '', /^Failed: install guarded in \S+$/)
    assert.match(mail.body['text'] ?? '', /\nFull <!channel> \*now\* `x` @all [^\n]+ \(FULL, guard\)\n/)
    assert.match(mail.body['text'] ?? '', /\nCan a retry help\? Only after the cause is fixed\n/)
    fail(`Not ${SECRET}`)
    const { data } = (await bodyAs('STANDARD')).body as unknown as { data: JsonObject }
    assert.equal(data['message'], MASK)
  })

  it('do not say that an override lacked approvals: it may have passed only a freeze', async () => {
    const recorded = {
      type: 'change.overridden',
      timestamp: '2026-11-22T09:00:00.000Z',
      data: { kind: 'CONFIGURE', changeRequestId: 'c1', scope: null, by: { id: 'ada', name: 'Ada' } },
    }
    const { text } = JSON.parse(
      await writeNotification(deps.http.runtime.deps, JSON.stringify(recorded), 'CHAT'),
    ) as {
      text: string
    }
    assert.equal(text, 'Change applied by override: configure\nBy: `Ada`\nChange request ID: c1')
  })

  it('report a takeover, and a batch, to webhooks of the scope', async () => {
    const scope = deps.newScope()
    const events = ['operation.taken_over', 'batch.finished']
    const { webhookId } = await create({ events, scope: { ...scope } })
    const { webhookId: elsewhere } = await create({ events, scope: { environmentKey: 'elsewhere' } })
    const failed = await failedOperation(scope)
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    await deps.succeeds(await deps.takeOver(failed))
    await until(async () => (await log(webhookId)).some(({ event }) => event === 'operation.taken_over'))

    const bundleInstallId = await deps.installed(plain, { scope })
    const other = await deps.installed(plain, { scope: deps.newScope() })
    await deps.ok('/batches', {
      method: 'POST',
      body: { action: 'DETACH', title: VALUE, targets: [bundleInstallId, other], reason: VALUE },
    })
    await until(async () => (await log(webhookId)).some(({ event }) => event === 'batch.finished'))
    await ended(webhookId, 'DELIVERED')
    const [delivery] = await log(webhookId)
    const [arrived] = arrivedAs(delivery?.deliveryId)
    const { data } = JSON.parse(arrived?.body ?? '{}') as { data: JsonObject }
    // the items of the scope only
    assert.deepEqual([data['state'], data['items']], ['DONE', { SUCCEEDED: 1 }])
    assert.doesNotMatch(arrived?.body ?? VALUE, new RegExp(VALUE))
    assert.deepEqual(await log(elsewhere), [])
    for (const id of [webhookId, elsewhere]) await deps.ok(`/webhooks/${id}`, { method: 'DELETE' })
  })

  it('have a log whose cursor is checked', async () => {
    const { webhookId } = await create()
    const path = `/webhooks/${webhookId}/deliveries?cursor=${encodeCursor([1, 'x'])}`
    assert.equal((await deps.http.call(path)).errorCode, 'REQUEST_INVALID')
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('are not counted as plugin calls', async () => {
    const calls = async () =>
      (await (await deps.http.send('/bundle-runtime/api/metrics')).text()).match(/plugin_calls_total.*/g)
    const before = await calls()
    const { webhookId } = await create()
    await sendTest(webhookId)
    await ended(webhookId, 'DELIVERED')
    assert.deepEqual(await calls(), before)
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('report a batch of which no target could start', async () => {
    const scope = deps.newScope()
    const { webhookId } = await create({ events: ['batch.finished'], scope: { ...scope } })
    const bundleInstallId = await deps.installed(plain, { scope })
    await deps.succeeds(await deps.detach(bundleInstallId))
    await deps.ok('/batches', {
      method: 'POST',
      body: { action: 'DETACH', targets: [bundleInstallId], reason: VALUE },
    })
    await ended(webhookId, 'DELIVERED')
    const [delivery] = await log(webhookId)
    const { data } = JSON.parse(arrivedAs(delivery?.deliveryId)[0]?.body ?? '{}') as { data: JsonObject }
    assert.deepEqual([data['state'], data['items']], ['DONE', { REFUSED: 1 }])
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('stay as enabled and as failing as they are when only their title changes', async () => {
    const { webhookId } = await create()
    const settings = {
      title: 'Renamed',
      url: receiver.url,
      events: ['operation.failed'],
      scope: null,
      retryingAfterMinutes: 30,
    }
    const save = (body: JsonObject) =>
      deps.ok(`/webhooks/${webhookId}`, { method: 'PUT', body: { ...settings, ...body } })
    const since = '2026-11-20T08:00:00.000Z'
    const fail = (isEnabled: boolean) =>
      sql`update runtime.webhook set failing_since = ${since}, enabled = ${isEnabled} where webhook_id = ${webhookId}`.execute(
        deps.db,
      )
    await fail(false)
    await save({})
    const { title, enabled, failingSince } = await webhook(webhookId)
    assert.deepEqual([title, enabled, failingSince], ['Renamed', false, since])
    await save({ enabled: true })
    assert.equal((await webhook(webhookId)).failingSince, null)
    await fail(true)
    await save({ enabled: true })
    assert.equal((await webhook(webhookId)).failingSince, since)
    await save({ url: `${receiver.url}/moved` })
    assert.equal((await webhook(webhookId)).failingSince, null)
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('do the rest of a round of which a part fails', async () => {
    const { webhookId } = await create()
    const old = sql`select from runtime.webhook_delivery where subject = 'old'`
    await sql`
      insert into runtime.webhook_delivery (webhook_id, event, subject, body, state, ended_at)
      values (${webhookId}, 'operation.failed', 'old', '{}', 'DELIVERED', clock_timestamp() - interval '31 days')`.execute(
      deps.db,
    )
    await sql`alter function runtime.webhooks_for rename to hidden`.execute(deps.db)
    const notifications = startNotifications(deps.http.runtime.deps, { scanMs: 20 })
    await until(async () => (await old.execute(deps.db)).rows.length === 0).finally(async () => {
      await notifications.stop()
      await sql`alter function runtime.hidden rename to webhooks_for`.execute(deps.db)
    })
  })

  it('report once that an operation has been retrying for a long time', async () => {
    const { webhookId } = await create({ events: ['operation.retrying'] })
    deps.plugin.script(() => ({ outcome: 'UNKNOWN' }))
    const { operationId } = await deps.install(guarded, { scope: deps.newScope() })
    await until(() => waitForLong(deps.db, operationId))
    await reportRetrying(deps.db)
    assert.deepEqual(await log(webhookId), [])
    await sql`
      update runtime.operation set started_at = started_at - interval '31 minutes'
      where operation_id = ${operationId}`.execute(deps.db)
    await reportRetrying(deps.db)
    // the run is old, but what is retried now is not
    assert.deepEqual(await log(webhookId), [])
    await sql`
      update runtime.attempt set finished_at = finished_at - interval '31 minutes'
      where operation_id = ${operationId} and attempt = 1`.execute(deps.db)
    await reportRetrying(deps.db)
    await reportRetrying(deps.db)
    assert.deepEqual(
      (await log(webhookId)).map(({ event, operationId: of }) => [event, of]),
      [['operation.retrying', operationId]],
    )
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('expire while a person has disabled the webhook for a week, but not its tests', async () => {
    const { webhookId } = await create()
    await sql`update runtime.webhook set enabled = false where webhook_id = ${webhookId}`.execute(deps.db)
    const waiting = async (days: number) => {
      const subject = randomUUID()
      await sql`
        insert into runtime.webhook_delivery (webhook_id, event, subject, body, available_at)
        values (${webhookId}, 'operation.failed', ${subject}, '{}', now() - make_interval(days => ${days}))`.execute(
        deps.db,
      )
    }
    await waiting(6)
    await waiting(8)
    await expireDeliveries(deps.db)
    const states = (await log(webhookId)).map(({ state, lastError }) => [state, lastError])
    assert.deepEqual(
      new Map(states.map(([state, error]) => [state, error])),
      new Map([
        ['PENDING', null],
        ['FAILED', 'expired'],
      ]),
    )
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('do not delay or fail the change that they report while their webhook is being deleted', async () => {
    const { webhookId } = await create({ events: ['operation.in_doubt'] })
    const { webhookId: other } = await create({ events: ['operation.in_doubt'] })
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    const { operationId } = await deps.install(guarded, { scope: deps.newScope() })
    await deps.succeeds(operationId)
    const deletion = await deps.db.startTransaction().execute()
    await sql`delete from runtime.webhook where webhook_id = ${webhookId}`.execute(deletion)
    await sql`
      update runtime.operation set in_doubt_since = now() where operation_id = ${operationId}`.execute(
      deps.db,
    )
    await deletion.commit().execute()
    assert.deepEqual(
      (await log(other)).map(({ event }) => event),
      ['operation.in_doubt'],
    )
    await deps.ok(`/webhooks/${other}`, { method: 'DELETE' })
  })

  it('seal their address: it is shown without its path, also in the audit, which still shows that it changed (H01)', async () => {
    const path = `${'T0KEN'.repeat(4)}/last`
    const { webhookId } = await create({ url: `${receiver.url}/${path}` })
    const shown = `${new URL(receiver.url).origin}/…last`
    assert.equal((await webhook(webhookId)).url, shown)
    const { rows } = await sql<{ text: string }>`
      select (select row_to_json(webhook) from runtime.webhook where webhook_id = ${webhookId})::text
        || (select json_agg(idempotency) from runtime.idempotency)::text as text`.execute(deps.db)
    assert.doesNotMatch(rows[0]?.text ?? 'T0KEN', new RegExp(`T0KEN|${Buffer.from('T0KEN').toString('hex')}`))
    const settings = { title: 'On call', events: ['operation.failed'], scope: null, retryingAfterMinutes: 30 }
    const save = (body: JsonObject) =>
      deps.ok(`/webhooks/${webhookId}`, { method: 'PUT', body: { ...settings, enabled: true, ...body } })
    const delivered = async () => {
      await sendTest(webhookId)
      await ended(webhookId, 'DELIVERED')
      return receiver.arrived.at(-1)?.path
    }
    for (const kept of [{}, { url: shown }]) {
      await save(kept)
      assert.equal(await delivered(), `/hook/${path}`)
    }
    await save({ url: `${receiver.url}/T1KEN/${path}` })
    assert.equal(await delivered(), `/hook/T1KEN/${path}`)
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
    const all = AuditEntry.array().parse((await deps.ok('/audit?limit=50', {}))['items'])
    const entries = all.filter(
      ({ subject, action }) => subject.includes(webhookId) && action !== 'webhook.test',
    )
    assert.deepEqual(
      entries.map(({ action, changes }) => [
        action,
        changes.filter(({ property }) => property === 'url').length,
      ]),
      [
        ['webhook.delete', 1],
        ['webhook.save', 1],
        ['webhook.save', 0],
        ['webhook.save', 0],
        ['webhook.create', 1],
      ],
    )
    const text = JSON.stringify(entries)
    assert.doesNotMatch(text, /T[01]KEN/)
    assert.match(text, new RegExp(new URL(receiver.url).host))
  })

  it('are not written for a change that is rolled back, and are for an operation in doubt', async () => {
    const { webhookId } = await create({ events: ['operation.failed', 'operation.in_doubt'] })
    deps.plugin.script(() => ({ outcome: 'APPLIED' }))
    const { operationId } = await deps.install(guarded, { scope: deps.newScope() })
    await deps.succeeds(operationId)
    const change = (isKept: boolean) =>
      inTransaction(deps.db, async (tx) => {
        await sql`
          update runtime.operation set in_doubt_since = now() where operation_id = ${operationId}`.execute(tx)
        if (!isKept) throw new Error('rolled back')
      })
    await assert.rejects(change(false), /rolled back/)
    assert.deepEqual(await log(webhookId), [])
    await change(true)
    assert.deepEqual(
      (await log(webhookId)).map(({ event }) => event),
      ['operation.in_doubt'],
    )
    await deps.ok(`/webhooks/${webhookId}`, { method: 'DELETE' })
  })

  it('go only to addresses that the deployment allows (E01)', async () => {
    const answer = await deps.http.call('/webhooks', {
      method: 'POST',
      body: {
        title: 'Metadata',
        url: 'http://169.254.169.254/latest',
        events: ['operation.failed'],
        scope: null,
        retryingAfterMinutes: 30,
      },
    })
    assert.equal(answer.errorCode, 'REQUEST_INVALID')
    assert.match(JSON.stringify(answer.data), /body\.url/)
  })

  it('wait longer after each failure, at most an hour', () => {
    assert.deepEqual(
      [1, 2, 3, 9].map((attempts) => delayMs(attempts, 1)),
      [5_000, 20_000, 80_000, 3_600_000],
    )
    assert.equal(delayMs(1, 0), 2_500)
  })
})
