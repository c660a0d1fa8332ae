import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { createLocalJWKSet, createRemoteJWKSet, generateKeyPair, jwtVerify } from 'jose'
import type { JSONWebKeySet } from 'jose'
import { sql } from 'kysely'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { freePort } from '#database/free-port.ts'
import { openDatabase } from '#database/pool.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { createActorCheck, createServiceCheck } from './callers.ts'
import { billing } from '../testing/bundles.ts'
import { API, testHttp } from '../testing/http.ts'
import type { TestHttp } from '../testing/http.ts'
import { countLockWaits, until } from '../testing/stream.ts'

let http: TestHttp
before(async () => {
  http = await testHttp()
})
after(() => http.close())

const plugin = { title: 'Tenants', endpoint: 'http://127.0.0.1:1/', enabled: true }

describe('the actor assertion', () => {
  it('is refused if it is forged, for another audience, expired or valid for too long (G05)', async () => {
    const other = await generateKeyPair('EdDSA')
    const assertions = {
      'of another key': await http.assertion({ key: other.privateKey }),
      'for another audience': await http.assertion({ audience: 'module-plugin-manager' }),
      expired: await http.assertion({ issuedSecondsAgo: 120 }),
      'of five minutes': await http.assertion({ lifetimeSeconds: 300 }),
      'without grants': await http.assertion({ claims: { grants: null } }),
      'with an unknown permission': await http.assertion({
        claims: { grants: [{ permissions: ['everything'], scope: null }] },
      }),
      'without a name': await http.assertion({ claims: { name: '' } }),
      garbage: 'a.b.c',
      'with no algorithm': `${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
    }
    for (const [what, assertion] of Object.entries(assertions)) {
      const answer = await http.call('/plugins', { headers: { 'x-runtime-actor-assertion': assertion } })
      assert.equal(answer.status, 401, what)
      assert.equal(answer.headers.get('www-authenticate'), 'Actor-Assertion', what)
    }
  })

  it('does not cause a 401 if its keys cannot be fetched', async () => {
    const closed = await freePort()
    const keys = createRemoteJWKSet(new URL(`http://127.0.0.1:${closed}/`))
    const reasons: string[] = []
    const times = { possibleTimes: () => [new Date()], refresh: () => Promise.resolve() }
    const check = createActorCheck(keys, times, { onRefused: ({ message }) => reasons.push(message) })
    const headers = { 'x-runtime-actor-assertion': await http.assertion() }
    await assert.rejects(
      check(new Request('http://runtime.test/', { headers }), 'request-1'),
      (error) => error instanceof TransportError && error.status === 503,
    )
    assert.match(reasons.join(), /cannot be fetched: nothing listens there .*; check ACTOR_ASSERTION_JWKS/)
  })

  it('is refused with a reason for the log', async () => {
    const reasons: string[] = []
    const onRefused = ({ message }: Error) => reasons.push(message)
    const checkService = createServiceCheck(['a-credential'], onRefused)
    const request = new Request('http://runtime.test/', { headers: { authorization: 'Bearer another-one' } })
    assert.throws(() => checkService(request), TransportError)
    assert.match(reasons.join(), /RUNTIME_API_CREDENTIAL/)
    assert.doesNotMatch(reasons.join(), /another-one/)
  })
})

describe('the endpoints without a credential', () => {
  it('report health and readiness', async () => {
    assert.deepEqual(await (await http.send(`${API}/healthz`)).json(), { status: 'ok' })
    assert.deepEqual(await (await http.send(`${API}/readyz`)).json(), { status: 'ready' })
    assert.equal((await http.send(`${API}/readyz`, { method: 'POST' })).status, 405)
  })

  it('publish the keys that verify the tokens of the platform', async () => {
    const keys = (await (await http.send(`${API}/.well-known/jwks.json`)).json()) as JSONWebKeySet
    assert(keys.keys.length > 0 && keys.keys.every((key) => !('d' in key)), 'only public halves')
    const { signer } = http.runtime.deps
    const token = await signer.sign({ sub: 'op-1', stage: 'BEFORE_RESOURCES' }, 'tenants', 300)
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      issuer: 'http://platform.test',
      audience: 'tenants',
      algorithms: ['EdDSA'],
    })
    assert.equal(payload.sub, 'op-1')
    assert.equal((payload.exp ?? 0) - (payload.iat ?? 0), 300)
    const payloadOf = (jwt: string) => jwt.split('.')[1] ?? ''
    assert.equal(signer.isPlatformPayload(payloadOf(token)), true)
    assert.equal(signer.isPlatformPayload(payloadOf(await http.assertion())), false)
  })

  it('publish the keys of all replicas of the database, from any replica', async () => {
    const { connection, sealingKeyFiles } = http
    const other = await testHttp({ connection, sealingKeyFiles })
    const kidsOf = async (replica: TestHttp) => {
      const answer = await replica.send(`${API}/.well-known/jwks.json`)
      return ((await answer.json()) as JSONWebKeySet).keys.map(({ kid }) => kid)
    }
    const kids = await kidsOf(http)
    assert.equal(new Set(kids).size, 2)
    assert.deepEqual(await kidsOf(other), kids)
    await other.close()
  })

  it('count requests by row and status, and nothing by person or object (I03)', async () => {
    await http.call('/plugins/some-plugin-name')
    const text = await (await http.send(`${API}/metrics`)).text()
    assert.match(text, /^bundle_runtime_oldest_due_seconds 0$/m)
    assert.match(text, /^bundle_runtime_oldest_lock_seconds 0$/m)
    assert.match(text, /^bundle_runtime_database_bytes [1-9]\d{6,}$/m)
    assert.match(text, /^bundle_runtime_data_free_bytes [1-9]\d{6,}$/m)
    assert.match(text, /^bundle_runtime_database_connections\{pool="http",state="used"\} \d+$/m)
    assert.match(
      text,
      /bundle_runtime_http_requests_total\{endpoint="GET \/plugins\/\{pluginId\}",status="200",code="NOT_FOUND"\} \d+/,
    )
    assert.match(text, /bundle_runtime_operations\{state="FAILED"\} 0/)
    const buckets = text.matchAll(
      /request_seconds_bucket\{endpoint="GET \/plugins\/\{pluginId\}",le="([^"]+)"/g,
    )
    assert.equal(
      [...buckets].map(([, bound]) => bound).join(' '),
      '0.005 0.01 0.025 0.05 0.1 0.25 0.5 1 2.5 5 10 +Inf',
    )
    assert.doesNotMatch(text, /some-plugin-name|ada/)
    for (const [, name] of text.matchAll(/^# TYPE (\S+)/gm))
      assert.match(text, new RegExp(`^# HELP ${name} \\S`, 'm'))
  })

  it('show how long a session waits for a row that another one holds', async () => {
    const lockWait = async () => {
      const text = await (await http.send(`${API}/metrics`)).text()
      return Number(/^bundle_runtime_database_lock_wait_seconds (\S+)$/m.exec(text)?.[1])
    }
    assert.equal((await http.call('/plugins/locked', { method: 'PUT', body: plugin })).errorCode, '0')
    assert.equal(await lockWait(), 0)
    const { db } = http.runtime.deps
    const lock = sql`select 1 from runtime.plugin where plugin_id = 'locked' for update`
    let waiting: Promise<unknown> | undefined
    await db.transaction().execute(async (holder) => {
      await lock.execute(holder)
      waiting = lock.execute(db)
      await until(async () => (await lockWait()) > 0.2)
    })
    await waiting
    assert.equal(await lockWait(), 0)
  })

  it('say that a replica without the current sealing key is not ready', async () => {
    const { deps } = http.runtime
    const replica = () =>
      testHttp({
        connection: http.connection,
        sealingKeyFiles: http.sealingKeyFiles,
        worker: { pollMs: 20 },
      })
    const [other, good] = await Promise.all([replica(), replica()])
    const added = await sql<{ id: number }>`insert into runtime.data_key (wrapped, sealing_key, replaced_at)
      select wrapped, 'of-another-key', now() from runtime.data_key limit 1 returning data_key_id as id`.execute(
      deps.db,
    )
    await assert.rejects(deps.vault.learn(deps.db), /SEALING_KEY_FILE/)
    const refused = await http.send(`${API}/readyz`)
    assert.equal(refused.status, 503)
    assert.match(await refused.text(), /does not have the current sealing key/)
    // and leaves its work to the others
    await assert.rejects(other.runtime.deps.vault.learn(deps.db))
    await http.call('/bundles/dev/billing/versions/1.0.0', {
      method: 'PUT',
      body: billing as unknown as JsonObject,
    })
    for (let workspaceId = 800; workspaceId < 812; workspaceId++) {
      const scope = { environmentKey: 'prod', applicationRuntimeId: 'keys', workspaceId }
      const body = { scope, bundle: { ...billing.bundle }, targetVersion: '1.0.0' }
      const started = await http.call('/installations', { method: 'POST', body })
      const { operationId } = started.data['operation'] as JsonObject
      await until(
        async () => (await http.call(`/operations/${String(operationId)}`)).data['state'] === 'SUCCEEDED',
      )
    }
    const metrics = await (await other.send(`${API}/metrics`)).text()
    assert.match(metrics, /^bundle_runtime_worker_leased_operations_total 0$/m)
    await Promise.all([other.close(), good.close()])
    await sql`delete from runtime.data_key where data_key_id = ${added.rows[0]?.id}`.execute(deps.db)
    await deps.vault.learn(deps.db)
    assert.equal((await http.send(`${API}/readyz`)).status, 200)
  })
})

describe('a write', () => {
  it('returns the same response for the same key and body, whatever the order of its fields', async () => {
    const key = 'same-key'
    const first = await http.call('/plugins/once', { method: 'PUT', body: plugin, key })
    await http.call('/plugins/once', { method: 'PUT', body: { ...plugin, title: 'Changed since' } })
    const again = await http.call('/plugins/once', {
      method: 'PUT',
      body: { enabled: true, endpoint: plugin.endpoint, title: plugin.title },
      key,
    })
    assert.deepEqual(again.json, first.json)
    const now = await http.call('/plugins/once')
    assert.equal(now.data['title'], 'Changed since')
  })

  it('refuses the key with another body, and accepts it from another person or for another path', async () => {
    const key = 'reused-key'
    await http.call('/plugins/reused', { method: 'PUT', body: plugin, key })
    const other = { ...plugin, title: 'Another' }
    const refused = await http.call('/plugins/reused', { method: 'PUT', body: other, key })
    assert.equal(refused.errorCode, 'IDEMPOTENCY_KEY_REUSED')
    const bob = await http.call('/plugins/reused', { method: 'PUT', body: other, key, actor: 'bob' })
    assert.equal(bob.errorCode, '0')
    assert.equal((await http.call('/plugins/elsewhere', { method: 'PUT', body: other, key })).errorCode, '0')
  })

  it('is done once if twenty requests arrive at the same time', async () => {
    const calls = Array.from({ length: 20 }, () =>
      http.call('/plugins/raced', { method: 'PUT', body: plugin, key: 'raced' }),
    )
    const answers = await Promise.all(calls)
    for (const answer of answers) assert.deepEqual(answer.json, answers[0]?.json)
    const { items } = (await http.call('/audit?action=plugin.save&limit=200')).data as { items: JsonObject[] }
    assert.equal(items.filter(({ subject }) => subject === 'raced').length, 1)
  })

  it('stores a refusal as the response too, and audits it', async () => {
    const manifest = {
      bundle: { environmentKey: 'dev', bundleId: 'kept' },
      version: '1',
      title: 'Kept',
      resources: [],
      plugins: [],
    }
    const path = '/bundles/dev/kept/versions/1'
    await http.call(path, { method: 'PUT', body: manifest })
    const changed = { ...manifest, title: 'Another' }
    const refused = await http.call(path, { method: 'PUT', body: changed, key: 'kept' })
    assert.equal(refused.errorCode, 'VERSION_EXISTS')
    await http.runtime.deps.db.deleteFrom('runtime.bundle_version').where('bundle_id', '=', 'kept').execute()
    const again = await http.call(path, { method: 'PUT', body: changed, key: 'kept' })
    assert.deepEqual(again.json, refused.json)
    const { items } = (await http.call('/audit?action=bundle.publish')).data as { items: JsonObject[] }
    assert.deepEqual(
      items.filter(({ subject }) => subject === 'dev/kept 1').map(({ outcome }) => outcome),
      ['REFUSED', 'DONE'],
    )
  })

  it('checks the permission again for a repeat, and a denied request does not use up the key', async () => {
    const put = { method: 'PUT', body: plugin, key: 'checked' }
    const reader = [{ permissions: ['read' as const], scope: null }]
    const denied = await http.call('/plugins/checked', { ...put, grants: reader })
    assert.equal(denied.errorCode, 'PERMISSION_DENIED')
    assert.equal((await http.call('/plugins/checked', put)).errorCode, '0')
    const repeat = await http.call('/plugins/checked', { ...put, grants: reader })
    assert.equal(repeat.errorCode, 'PERMISSION_DENIED')
    const { items } = (await http.call('/audit?action=plugin.save')).data as { items: JsonObject[] }
    assert.deepEqual(
      items.filter(({ subject }) => subject === 'checked').map(({ outcome }) => outcome),
      ['REFUSED', 'DONE', 'REFUSED'],
    )
  })

  it('discards a key after 24 hours', async () => {
    const key = 'old-key'
    await http.call('/plugins/old', { method: 'PUT', body: plugin, key })
    const { db } = http.runtime.deps
    await db
      .updateTable('runtime.idempotency')
      .set({ created_at: new Date(Date.now() - 25 * 3_600_000).toISOString() })
      .where('key', '=', key)
      .execute()
    const answer = await http.call('/plugins/old', { method: 'PUT', body: { ...plugin, title: 'New' }, key })
    assert.equal(answer.data['title'], 'New')
  })
})

describe('an error', () => {
  it('is 503 if a concurrent request holds the key too long, and 500 without details for an internal error (I01, J03)', async () => {
    const { db } = http.runtime.deps
    const waiting = await db.transaction().execute(async (tx) => {
      await tx
        .insertInto('runtime.idempotency')
        .values({
          actor_id: 'ada',
          endpoint: `PUT ${API}/plugins/stuck`,
          key: 'stuck',
          request_hash: Buffer.from('x'),
        })
        .execute()
      return http.call('/plugins/stuck', { method: 'PUT', body: plugin, key: 'stuck' })
    })
    assert.equal(waiting.status, 503)
    assert.equal(waiting.json['code'], 'SERVICE_UNAVAILABLE')
    assert.equal(waiting.headers.get('retry-after'), '1')

    await db.schema.alterTable('runtime.plugin').renameTo('plugin_gone').execute()
    const broken = await http.call('/plugins')
    await db.schema.alterTable('runtime.plugin_gone').renameTo('plugin').execute()
    assert.equal(broken.status, 500)
    assert.doesNotMatch(JSON.stringify(broken.json), /plugin|relation|select|at /i)
  })

  it('is 503, and the replica is not ready, without a database (J03)', async () => {
    const lone = await testHttp()
    await lone.close()
    assert.equal((await lone.send(`${API}/healthz`)).status, 200)
    assert.equal((await lone.send(`${API}/readyz`)).status, 503)
  })

  it('is 429 for a caller that exceeds its limit, and not for another (J01)', async () => {
    const limited = await testHttp({ rateLimit: { perSecond: 0.05, burst: 3 } })
    const answers = []
    for (let n = 0; n < 4; n++) answers.push(await limited.call('/plugins'))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 429],
    )
    const seconds = Number(answers[3]?.headers.get('retry-after'))
    assert.ok(seconds > 1 && seconds <= 20, String(seconds))
    assert.equal((await limited.call('/plugins', { actor: 'bob' })).status, 200)
    await limited.close()
  })

  it('is 429 sooner for what costs more, by its targets too (J01)', async () => {
    const limited = await testHttp({ rateLimit: { perSecond: 0.01, burst: 20 } })
    const plan = (count: number) =>
      limited.call('/batches/plan', {
        method: 'POST',
        body: {
          action: 'DETACH',
          targets: Array.from({ length: count }, () => randomUUID()),
        },
      })
    assert.equal((await plan(100)).errorCode, 'NOT_FOUND')
    assert.equal((await plan(400)).status, 429)
    assert.equal((await limited.call('/plugins')).status, 200)
    await limited.close()
  })

  it('is 429 sooner for a large body, and for a batch that sets many values in each target (J01)', async () => {
    const limited = await testHttp({ rateLimit: { perSecond: 0.01, burst: 20 } })
    const values = (count: number, size = 1) =>
      Object.fromEntries(
        Array.from({ length: count }, (_, at) => [`p${at}`, { '@type': 'Data', value: 'x'.repeat(size) }]),
      )
    const plan = (targets: number, properties: object) =>
      limited.call('/batches/plan', {
        method: 'POST',
        body: {
          action: 'INSTALL',
          targets: Array.from({ length: targets }, (_, at) => `prod/shop/${at + 1}`),
          input: {
            bundle: { ...billing.bundle },
            targetVersion: '1.0.0',
            properties: { 'dev/billing/MODULE/core': properties },
          } as never,
        },
      })
    const tooMany = await plan(100, values(1000))
    assert.equal(tooMany.errorCode, 'REQUEST_INVALID')
    assert.match(
      JSON.stringify(tooMany.data['details']),
      /"body\.input".*at most 100,000 values.*requestBatchSize/,
    )
    // each is planned, stored and audited in each target
    assert.equal((await plan(100, values(1, 200_000))).errorCode, 'REQUEST_INVALID')
    assert.equal((await plan(1, values(1))).status, 200)
    assert.equal((await plan(100, values(400))).status, 429)
    assert.equal((await plan(1, values(3, 200_000))).status, 429)
    assert.equal((await limited.call('/plugins')).status, 200)
    await limited.close()
  })

  it('is 429 after large answers, also for those that were asked for at the same time (J01)', async () => {
    const limited = await testHttp({ rateLimit: { perSecond: 0.01, burst: 500 } })
    const path = '/bundles/dev/billing/versions/1.0.0'
    const [first, ...others] = billing.resources
    const schema = { type: 'string', enum: ['a', 'b', 'c'].map((letter) => letter.repeat(230_000)) }
    const properties = { ...first!.properties, large: { kind: 'DATA', schema } }
    const body = { ...billing, resources: [{ ...first, properties }, ...others] } as never
    const published = await limited.call(path, { method: 'PUT', body })
    assert.equal(published.errorCode, '0', JSON.stringify(published.json).slice(0, 300))
    const read = () => limited.call(path)
    const statuses = (await Promise.all(Array.from({ length: 30 }, read))).map(({ status }) => status)
    const served = statuses.filter((status) => status === 200).length
    assert.ok(served >= 4 && served <= 8, String(served))
    assert.equal((await limited.call('/plugins')).status, 429)
    assert.equal((await limited.call('/plugins', { actor: 'bob' })).status, 200)
    await limited.close()
  })

  it('is 429 after short answers for which much was read (J01)', async () => {
    const limited = await testHttp({
      rateLimit: { perSecond: 0.01, burst: 300 },
      worker: { pollMs: 50 },
    })
    const { bundle, version } = billing
    const [first, ...others] = billing.resources
    const properties = { ...first!.properties, large: { kind: 'DATA', schema: true } }
    const body = { ...billing, resources: [{ ...first, properties }, ...others] } as never
    const published = await limited.call('/bundles/dev/billing/versions/1.0.0', { method: 'PUT', body })
    assert.equal(published.errorCode, '0', JSON.stringify(published.json).slice(0, 300))
    const large = { '@type': 'Data', value: Array.from({ length: 4 }, () => 'x'.repeat(230_000)) }
    const installed = await limited.call('/installations', {
      method: 'POST',
      body: {
        scope: { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 1 },
        bundle: { ...bundle },
        targetVersion: version,
        properties: { 'dev/billing/MODULE/ledger': { large } },
      },
    })
    assert.equal(installed.errorCode, '0', JSON.stringify(installed.json).slice(0, 300))
    const { operationId, installation } = installed.data['operation'] as {
      operationId: string
      installation: { bundleInstallId: string }
    }
    await until(async () => {
      const { data } = await limited.call('/installations', { actor: 'carol' })
      return (data['items'] as { state: string }[])[0]?.state === 'ACTIVE'
    })
    const changes = { 'dev/billing/MODULE/ledger': { currency: { '@type': 'Data', value: 'EUR' } } }
    const reads = {
      alice: () => limited.call(`/operations/${operationId}/context`),
      bob: () =>
        limited.call('/scopes/prod/shop/1/configuration/plan', {
          method: 'POST',
          actor: 'bob',
          body: { snapshotVersion: 1, changes },
        }),
    }
    for (const [actor, read] of Object.entries(reads)) {
      const { json, errorCode } = await read()
      assert.equal(errorCode, '0', JSON.stringify(json).slice(0, 300))
      assert.ok(JSON.stringify(json).length < 10_000, actor)
      const statuses = (await Promise.all(Array.from({ length: 30 }, read))).map(({ status }) => status)
      const served = statuses.filter((status) => status === 200).length
      assert.ok(served >= 2 && served <= 10, `${actor} ${served}`)
    }
    const made = await limited.call('/change-requests', {
      method: 'POST',
      actor: 'erin',
      body: {
        kind: 'CONFIGURE',
        title: 'Euro',
        scope: { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 1 },
        input: { snapshotVersion: 2, changes },
        submit: true,
      },
    })
    assert.equal(made.errorCode, '0', JSON.stringify(made.json).slice(0, 300))
    const { changeRequestId } = made.data['changeRequest'] as { changeRequestId: string }
    const path = `/change-requests/${changeRequestId}`
    const { planToken } = (await limited.call(`${path}/plan`, { actor: 'erin' })).data
    const applied = await limited.call(`${path}/apply`, {
      method: 'POST',
      actor: 'frank',
      body: { revision: 1, planToken: planToken ?? null },
    })
    assert.equal(applied.errorCode, '0', JSON.stringify(applied.json).slice(0, 300))
    // the request and its save are both planned: 57 for each, of 300
    const left = await Promise.all(
      Array.from({ length: 300 }, () => limited.call('/plugins', { actor: 'frank' })),
    )
    const after = left.filter(({ status }) => status === 200).length
    assert.ok(after > 150 && after < 200, String(after))
    let begun = 0
    for (const currency of 'ABCDEFGHIJ') {
      const { status } = await limited.call('/batches', {
        method: 'POST',
        actor: 'dave',
        body: {
          action: 'CONFIGURE',
          targets: [installation.bundleInstallId],
          input: {
            changes: { 'dev/billing/MODULE/ledger': { currency: { '@type': 'Data', value: currency } } },
          },
        },
      })
      if (status === 200) begun += 1
    }
    assert.ok(begun >= 2 && begun <= 8, String(begun))
    assert.equal((await limited.call('/plugins', { actor: 'carol' })).status, 200)
    await limited.close()
  })

  it('is 429 sooner for a large change request, which each look at it plans (J01)', async () => {
    const limited = await testHttp({ rateLimit: { perSecond: 0.01, burst: 160 } })
    const published = await limited.call('/bundles/dev/billing/versions/1.0.0', {
      method: 'PUT',
      body: billing as never,
    })
    assert.equal(published.errorCode, '0')
    const value = { '@type': 'Data', value: 'x'.repeat(120_000) }
    const made = await limited.call('/change-requests', {
      method: 'POST',
      body: {
        kind: 'INSTALL',
        title: 'Large',
        input: {
          scope: { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 1 },
          bundle: { ...billing.bundle },
          targetVersion: '1.0.0',
          properties: { 'dev/billing/MODULE/ledger': { currency: value } },
        },
      },
    })
    assert.equal(made.errorCode, '0', JSON.stringify(made.json))
    const { changeRequestId } = made.data['changeRequest'] as { changeRequestId: string }
    assert.equal((await limited.call(`/change-requests/${changeRequestId}`)).status, 200)
    assert.equal((await limited.call(`/change-requests/${changeRequestId}/plan`)).status, 429)
    assert.equal((await limited.call('/change-requests')).status, 200)
    await limited.close()
  })

  it('is 429 sooner for a change request of many targets, which each look at it plans (J01)', async () => {
    const limited = await testHttp({ rateLimit: { perSecond: 0.01, burst: 160 } })
    const place = '/bundles/dev/billing/versions/1.0.0'
    const published = await limited.call(place, { method: 'PUT', body: billing as never })
    assert.equal(published.errorCode, '0')
    const made = await limited.call('/change-requests', {
      method: 'POST',
      body: {
        kind: 'BATCH',
        title: 'Everywhere',
        input: {
          action: 'INSTALL',
          targets: Array.from({ length: 60 }, (_, at) => `prod/shop/${at + 1}`),
          input: { bundle: { ...billing.bundle }, targetVersion: '1.0.0' },
        },
      },
    })
    assert.equal(made.errorCode, '0', JSON.stringify(made.json))
    const { changeRequestId } = made.data['changeRequest'] as { changeRequestId: string }
    const path = `/change-requests/${changeRequestId}`
    for (const [look, status] of [
      [path, 200],
      [`${path}/plan`, 200],
      [path, 429],
      [`${path}/plan`, 429],
      ['/change-requests', 200],
    ] as const)
      assert.equal((await limited.call(look)).status, status, look)
    await limited.close()
  })

  it('is 503 for what is expensive while the process is behind, and not for the rest (J04)', async () => {
    const busy = await testHttp({ load: { isBehind: () => true } })
    const refused = await busy.call(`/operations/${randomUUID()}/receipt`)
    assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])
    assert.equal((await busy.call('/operations')).status, 200)
    await busy.close()
  })
})

describe('reads that wait for their turn', () => {
  it('are neither served nor counted once their client has left (J01)', async () => {
    const limited = await testHttp({ rateLimit: { perSecond: 0.001, burst: 5 } })
    await whileFourWait(limited, async () => {
      const client = new AbortController()
      const left = Array.from({ length: 9 }, () => limited.call('/webhooks', { signal: client.signal }))
      client.abort()
      for (const { status } of await Promise.all(left)) assert.equal(status, 429)
    })
    assert.equal((await limited.call('/webhooks')).status, 200)
    assert.equal((await limited.call('/webhooks')).status, 429)
    await limited.close()
  })

  it('are at most 400 of a caller: the next is 429, and not for another caller (J01)', async () => {
    await whileFourWait(http, async () => {
      const client = new AbortController()
      const waiting = Array.from({ length: 401 }, () => http.call('/plugins', { signal: client.signal }))
      const refused = await Promise.race(waiting)
      assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
      assert.equal((await http.call('/plugins', { actor: 'bob' })).status, 200)
      client.abort()
      await Promise.all(waiting)
    })
    assert.equal((await http.call('/plugins')).status, 200)
  })

  it('hold up neither a probe of a plugin nor what the caller marks', async () => {
    await http.call('/plugins/probed', { method: 'PUT', body: plugin })
    await whileFourWait(http, async () => {
      const probed = await http.call('/plugins/probed/probe', { method: 'POST' })
      assert.equal(probed.data['failure'], 'refused')
      const marked = await http.call('/inbox/mark', {
        method: 'POST',
        body: { until: new Date().toISOString(), read: true },
      })
      assert.equal(marked.errorCode, '0', JSON.stringify(marked.json))
    })
  })
})

it('writes of one caller that wait for a lock leave connections to the database for others (J01)', async () => {
  const patient = await testHttp({ limits: { lockTimeoutMs: 60_000 } })
  const { db, pool, close } = openDatabase(patient.connection)
  const blocker = await pool.connect()
  await blocker.query('begin; lock table runtime.plugin in exclusive mode')
  const writes = Array.from({ length: 20 }, (_, at) =>
    patient.call(`/plugins/plugin-${at}`, { method: 'PUT', body: plugin }),
  )
  await until(async () => (await countLockWaits(db)) >= 4)
  assert.equal((await patient.call('/plugins', { actor: 'bob' })).status, 200)
  assert.equal(await countLockWaits(db), 4)
  await blocker.query('rollback')
  blocker.release()
  for (const { errorCode } of await Promise.all(writes)) assert.equal(errorCode, '0')
  await close()
  await patient.close()
})

it('probes that are sent very often leave connections to the database for people (J01)', async () => {
  const patient = await testHttp({ limits: { lockTimeoutMs: 60_000 } })
  const { db, pool, close } = openDatabase(patient.connection)
  const blocker = await pool.connect()
  await blocker.query('begin; lock table runtime.retention in access exclusive mode')
  const ask = () => patient.send(`${API}/metrics`)
  const asked = Array.from({ length: 40 }, ask)
  await until(async () => (await countLockWaits(db)) >= 1)
  assert.equal((await patient.call('/plugins')).status, 200)
  // each has waited for two seconds, and the statement of all waits on
  for (const { status } of await Promise.all(asked)) assert.equal(status, 200)
  assert.equal((await ask()).status, 200)
  assert.equal(await countLockWaits(db), 1)
  await blocker.query('rollback; begin; lock table runtime.signing_key in access exclusive mode')
  const keys = Array.from({ length: 40 }, () => patient.send(`${API}/.well-known/jwks.json`))
  await until(async () => (await countLockWaits(db)) >= 1)
  assert.equal((await patient.call('/plugins')).status, 200)
  assert.equal(await countLockWaits(db), 1)
  await blocker.query('rollback')
  blocker.release()
  for (const { status } of await Promise.all(keys)) assert.equal(status, 200)
  await close()
  await patient.close()
})

/** Calls `then` while four reads of one caller wait for the database. */
async function whileFourWait(target: TestHttp, then: () => Promise<void>): Promise<void> {
  const { pool, close } = openDatabase(target.connection)
  const blocker = await pool.connect()
  try {
    await blocker.query('begin; lock table runtime.webhook in access exclusive mode')
    const four = Array.from({ length: 4 }, () => target.call('/webhooks'))
    await until(async () => {
      const found = await pool.query(
        // the list; the runtime reads the table for itself too
        `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
          and query like '%retrying_after_minutes%' and query not like '%pg_stat_activity%'`,
      )
      return found.rows.length === 4
    })
    await then()
    await blocker.query('rollback')
    for (const { status } of await Promise.all(four)) assert.equal(status, 200)
  } finally {
    blocker.release(true)
    await close()
  }
}
