import { randomUUID } from 'node:crypto'
import { createServer } from 'node:https'
import type { Server } from 'node:https'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Page } from '@playwright/test'
import { testAuthority, testCertificate } from '#http-kit/testing-certificates.ts'
import { freePort } from '#database/free-port.ts'
import { successOf } from '#runtime/testing/plugin.ts'
import type { Reply } from '#runtime/testing/plugin.ts'
import { wrapped } from '#runtime/testing/rules.ts'
import { platform } from '../../demo/people.ts'
import { openShops, registered } from '../harness/failure-desk.ts'
import type { Shop } from '../harness/failure-desk.ts'
import { answerOf, panelOf } from '../harness/failure-panel.ts'
import { expect, test } from '../harness/test.ts'
import type { System } from '../harness/system.ts'

// Failures whose cause lies elsewhere than the last message says. The first screen answers five questions about each: what
// failed, where, whether anything is still going on, who acts next, and what to do.

/** What the first screen says. */
interface Answers {
  what: string | RegExp
  where: string
  /** Default: nothing is scheduled. */
  going?: RegExp
  who: string | RegExp
  todo: RegExp
  /** What it says besides, wherever on the panel. */
  says?: readonly (string | RegExp)[]
  neverSays?: readonly (string | RegExp)[]
}

interface Case extends Answers {
  name: string
  /** Causes the failure. Returns the operation, which has ended. */
  cause(shop: Shop, system: System): Promise<string>
}

const applied: Reply = { outcome: 'APPLIED' }
const refusal = (
  errorCode: string,
  message: string,
  more: { retryable?: boolean; errorPath?: string[] } = {},
): Reply => ({
  errorCode,
  data: { message, retryable: false, ...more },
})

/** Also if the call is repeated, because it took longer than its limit on a busy machine. */
function once(act: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined
  return () => (done ??= act())
}

const CASES: readonly Case[] = [
  {
    name: 'moved',
    // registered at a new, empty endpoint between two attempts
    async cause(shop) {
      shop.answer({
        sync: async (_, before) => {
          if (before === 1)
            await shop.register('sync', {
              endpoint: `${shop.endpoint('sync')}-new`,
              reason: 'Move to the new cluster',
            })
          return before < 2
            ? refusal('BUSY', 'The price system is busy.', { retryable: true })
            : refusal('NO_TENANT', 'There is no tenant for this installation. Install it first.')
        },
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'There is no tenant for this installation. Install it first.',
    where: 'moved.sync in Before resources',
    who: 'Plugin owner',
    todo: /Ask the person who moved the plugin/,
    says: [
      'The plugin moved while this operation ran',
      'Move to the new cluster',
      /changed the plugin moved\.sync[^]*While it ran/,
    ],
  },
  {
    name: 'revoked',
    // the credential of the plugin is revoked between the stages
    async cause(shop) {
      const { credentialId, secret } = await shop.newCredential()
      const revoke = once(() => shop.revoke(credentialId))
      shop.answer({
        registrar: async (call) => {
          if (call.stage === 'BEFORE_RESOURCES') return registered(call)
          await revoke()
          const { errorCode, message } = await shop.resolve(call, secret)
          return refusal(errorCode, message, { errorPath: [call.pluginId, 'module-plugin-manager'] })
        },
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: /credential/,
    where: 'revoked.registrar in After resources',
    who: 'Administrator: Decide with Aisha Rahman whether to create a credential',
    todo: /Aisha Rahman revoked a credential of the plugin/,
    says: [/revoked/],
  },
  {
    name: 'undefined',
    // the first plugin writes a wrong value, which the second one refuses
    async cause(shop) {
      const resources = { [shop.locator]: wrapped({ tenantId: 'shop-undefined' }) } as never
      shop.answer({
        registrar: () => ({ outcome: 'APPLIED', resources }),
        sync: () => refusal('NO_TENANT', 'The price system has no such tenant: shop-undefined.'),
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The price system has no such tenant',
    where: 'undefined.sync in Before resources',
    who: 'Support: Check the values from undefined.registrar',
    todo: /take the operation over/i,
    says: ['undefined.registrar wrote it in this operation', 'Its owner: Team registrar', 'shop-undefined'],
    neverSays: ['then retry'],
  },
  {
    name: 'no-host',
    async cause(shop) {
      await shop.register('sync', { endpoint: 'http://gone.invalid/lifecycle' })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin’s host was not found',
    where: 'no-host.sync in Before resources',
    who: 'Administrator: Correct the endpoint, or restore its host name',
    todo: /endpoint.*in DNS/,
    says: ['The plugin never received this call.', 'gone.invalid'],
  },
  {
    name: 'disabled',
    // an administrator disables the plugin while it is called again and again
    async cause(shop) {
      await shop.register('sync', { maxAttempts: 50 })
      shop.answer({
        sync: async (_, before) => {
          if (before === 2) await shop.register('sync', { enabled: false, reason: 'Security review SEC-77' })
          return refusal('CALENDAR_BUSY', 'The calendar is busy.', { retryable: true })
        },
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin was disabled or not registered',
    where: 'not called again',
    who: 'Administrator: Decide with Aisha Rahman whether to enable the plugin',
    todo: /disabled the plugin[^]*Security review SEC-77/,
    says: [/It answered \d earlier attempts/, 'CALENDAR_BUSY'],
    neverSays: ['never received'],
  },
  {
    name: 'killed',
    // the worker dies during the call, and the plugin is not safe to repeat
    async cause(shop, system) {
      await shop.register('sync', { timeoutMs: 60_000 })
      const reached = Promise.withResolvers<void>()
      shop.answer({
        sync: (_, before) => {
          reached.resolve()
          return before === 0
            ? 'hang'
            : refusal('SEAT_PLAN_EXISTS', 'A seat plan of this installation exists already.')
        },
      })
      const { operationId } = await shop.install()
      await reached.promise
      await system.loseLease(operationId)
      return shop.ended(operationId)
    },
    what: 'A seat plan of this installation exists already.',
    where: 'killed.sync in Before resources',
    who: 'Plugin owner: Check what an earlier attempt left behind',
    todo: /./,
    says: ['The result of 1 earlier attempt is unknown, so killed.sync may have acted.'],
  },
  {
    name: 'unwritten',
    // the response is lost, and the repeated call says that there is nothing to do
    async cause(shop) {
      shop.answer({
        registrar: (_, before) => (before === 0 ? 'reset' : { outcome: 'NOT_APPLIED' }),
        sync: ({ request }) =>
          JSON.stringify(request.resources).includes('tenantId')
            ? applied
            : refusal('NO_LIST', 'The sender cannot be set up: the list has no tenantId.'),
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The sender cannot be set up: the list has no tenantId.',
    where: 'unwritten.sync in Before resources',
    who: 'Support: Check the values from unwritten.registrar',
    todo: /./,
    says: [/tenantId/, 'result unknown (PLUGIN_UNREACHABLE)', 'unwritten.registrar may have acted too'],
  },
  {
    name: 'stopped',
    // unknown for ever, and stopped by a person
    async cause(shop, system) {
      await shop.register('sync', { maxAttempts: 100, maxBackoffMs: 60_000 })
      shop.answer({ sync: () => ({ outcome: 'UNKNOWN' }) })
      const { operationId } = await shop.install()
      const params = { operationId }
      const body = { run: 1, reason: 'Nobody is there until Monday' }
      const path = 'POST /operations/{operationId}/stop-retrying'
      // refused while an attempt is in flight
      await expect(() => system.call(platform, path, { params, body }, randomUUID())).toPass({
        timeout: 30_000,
      })
      return shop.ended(operationId)
    },
    what: 'The plugin does not know its result',
    where: 'stopped.sync in Before resources',
    going: /No\..*Nobody is there until Monday/,
    who: 'Plugin owner: Determine the result',
    todo: /see whether it acted/,
  },
  {
    name: 'slow',
    async cause(shop) {
      await shop.register('sync', { timeoutMs: 1_000 })
      shop.answer({
        sync: async () => {
          await new Promise((resolve) => setTimeout(resolve, 1_200))
          return applied
        },
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin did not respond in time',
    where: 'slow.sync in Before resources',
    who: 'Plugin owner: Find out why the plugin took so long',
    todo: /raise its request timeout/,
    says: ['did not respond within 1 s', 'It is not known whether slow.sync acted.'],
  },
  {
    name: 'replayed',
    // a cache in front of the plugin answers with its response to another operation
    async cause(shop) {
      const kept = new Map<string, string>()
      shop.answer({
        sync: ({ request, stage }) => {
          const body = kept.get(stage) ?? JSON.stringify(successOf(request, { outcome: 'APPLIED' }))
          kept.set(stage, body)
          const headers = { 'content-type': 'application/json', age: '31', 'x-cache': 'HIT' }
          return { status: 200, body, headers }
        },
      })
      await shop.ended((await shop.install()).operationId)
      return shop.ended(await shop.configure('Books'))
    },
    what: 'The plugin’s response does not match the request',
    where: 'replayed.sync in Before resources',
    who: 'Plugin owner: Find the cache or proxy that replays responses',
    todo: /cache|proxy|between/,
    says: [/Install shop-replayed/, /x-cache/i],
    neverSays: ['Fix the plugin, then retry'],
  },
  {
    name: 'gateway',
    async cause(shop) {
      const page = '<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>'
      shop.answer({
        sync: () => ({
          status: 502,
          body: page,
          headers: { 'content-type': 'text/html', server: 'edge-proxy' },
        }),
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin returned HTTP 502',
    where: 'gateway.sync in Before resources',
    who: 'Plugin owner: Check the plugin',
    todo: /./,
    says: ['edge-proxy'],
  },
  {
    name: 'detached',
    // the installation behind the service is detached while the operation runs
    async cause(shop, system) {
      const owner = await system.install(system.newScope(), 'crm-suite', '1.0.0')
      await shop.saveService({
        owner: { bundleInstallId: owner.bundleInstallId, locator: 'production/crm-suite/MODULE/crm-mail' },
      })
      const { secret } = await shop.newCredential()
      const detach = once(async () => system.ended(await shop.detach(owner.bundleInstallId)))
      shop.answer({
        registrar: async (call) => {
          if (call.stage === 'BEFORE_RESOURCES') return registered(call)
          await detach()
          const { errorCode, message } = await shop.resolve(call, secret)
          return refusal(errorCode, message, { errorPath: [call.pluginId, 'module-plugin-manager'] })
        },
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: /not active/,
    where: 'detached.registrar in After resources',
    who: 'Operator: Restore the service',
    todo: /./,
    says: [/detached/, /The shop is closed/],
  },
  {
    name: 'invoices',
    // a takeover whose DETACH the plugin refuses
    async cause(shop) {
      shop.answer({
        sync: ({ request }) =>
          request.operation.operationType === 'DETACH'
            ? refusal('OPEN_INVOICES', 'The tenant has 14 open invoices and cannot be removed.')
            : refusal('CLOSED', 'The year is closed.'),
      })
      const failed = await shop.ended((await shop.install()).operationId)
      return shop.ended(await shop.takeOver(failed))
    },
    what: 'The tenant has 14 open invoices and cannot be removed.',
    where: 'invoices.sync in Before resources',
    who: 'Plugin owner: Find and fix the cause',
    todo: /./,
    says: ['OPEN_INVOICES'],
  },
  {
    name: 'half-gone',
    // a DETACH fails after the resources were removed
    async cause(shop) {
      shop.answer({
        sync: ({ request, stage }) =>
          request.operation.operationType === 'DETACH' && stage === 'AFTER_RESOURCES'
            ? refusal('INDEX_READ', 'The index is being read by another job.', { retryable: true })
            : applied,
      })
      const { operationId, bundleInstallId } = await shop.install()
      await shop.ended(operationId)
      return shop.ended(await shop.detach(bundleInstallId))
    },
    what: 'The index is being read by another job.',
    where: 'half-gone.sync in After resources',
    who: 'Plugin owner',
    todo: /retry/i,
    says: [/removed/],
    neverSays: [/resources? applied/],
  },
  {
    name: 'chinese',
    async cause(shop) {
      const message =
        `许可证服务器拒绝了请求<b>：</b>**余额不足**。${'请先为该租户购买更多许可证，'.repeat(40)}然后重试。`.slice(
          0,
          509,
        )
      shop.answer({ sync: () => refusal('LICENSE_EMPTY', message) })
      return shop.ended((await shop.install()).operationId)
    },
    what: /许可证服务器拒绝了请求<b>：<\/b>\*\*余额不足\*\*/,
    where: 'chinese.sync in Before resources',
    who: 'Plugin owner: Find and fix the cause',
    todo: /./,
    says: ['LICENSE_EMPTY'],
  },
  {
    name: 'clock',
    // the clock of the plugin's host is five minutes late, so that it refuses a valid token, and asks for a retry
    async cause(shop) {
      shop.answer({
        sync: () => ({
          status: 200,
          headers: {
            'content-type': 'application/json',
            date: new Date(Date.now() - 312_000).toUTCString(),
          },
          body: JSON.stringify({
            contractVersion: '1.0.0',
            errorCode: 'TOKEN_EARLY',
            data: {
              message: 'The token of the caller is not valid yet (issued 312 s in the future).',
              retryable: true,
            },
          }),
        }),
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: /The token of the caller is not valid yet/,
    where: 'clock.sync in Before resources',
    who: 'Plugin owner',
    todo: /clock/i,
    says: ['Once the cause is fixed or gone', /31\d s|5 min/],
  },
  {
    name: 'limited',
    async cause(shop) {
      await shop.register('sync', { maxAttempts: 1 })
      shop.answer({ sync: () => ({ status: 429, body: '', headers: { 'retry-after': '120' } }) })
      return shop.ended((await shop.install()).operationId)
    },
    what: /limits|HTTP 429/,
    where: 'limited.sync in Before resources',
    who: 'Support: Retry when the plugin accepts calls again',
    todo: /./,
    says: ['Yes, once the plugin accepts calls again', /2 min|120 s/],
    neverSays: ['It is not known whether'],
  },
  {
    name: 'oversized',
    // the response is valid but for a value that breaks the definition of its property
    async cause(shop) {
      shop.answer({
        registrar: () => ({
          outcome: 'APPLIED',
          resources: { [shop.locator]: wrapped({ tenantId: 'x'.repeat(63) }) } as never,
        }),
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin sent an invalid response',
    where: 'oversized.registrar in Before resources',
    who: 'Plugin owner: Fix the plugin’s response',
    todo: /./,
    says: ['tenantId', '40'],
  },
  {
    name: 'sign-in',
    async cause(shop) {
      const location = 'https://sso.example.org/login?next=secret-in-the-query'
      shop.answer({ sync: () => ({ status: 302, body: '', headers: { location } }) })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin’s endpoint redirects',
    where: 'sign-in.sync in Before resources',
    who: 'Administrator',
    todo: /sign-in/,
    says: ['sso.example.org'],
    neverSays: ['secret-in-the-query', 'register the final address'],
  },
  {
    name: 'not-for-us',
    // the endpoint belongs to another plugin
    async cause(shop) {
      shop.answer({ sync: () => ({ outcome: 'APPLIED', echo: { pluginId: 'mail-gateway' } }) })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin’s response does not match the request',
    where: 'not-for-us.sync in Before resources',
    who: 'Plugin owner: Check which plugin answers',
    todo: /which plugin answers at this endpoint/,
    says: ['mail-gateway'],
  },
  {
    name: 'no-endpoint',
    async cause(shop) {
      await shop.register('sync', { endpoint: `http://127.0.0.1:${await freePort()}/lifecycle` })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin refused the connection',
    where: 'no-endpoint.sync in Before resources',
    who: 'Plugin owner: Check the changed endpoint with an administrator',
    todo: /changed the plugin’s endpoint before this.*running/,
    says: ['The plugin never received this call.'],
  },
  {
    name: 'service-off',
    // an administrator disables the service that the plugin resolves
    async cause(shop) {
      const { secret } = await shop.newCredential()
      shop.answer({
        registrar: async (call) => {
          if (call.stage === 'BEFORE_RESOURCES') return registered(call)
          await shop.saveService({ enabled: false, reason: 'The relay is closed' })
          const { errorCode, message } = await shop.resolve(call, secret)
          return refusal(errorCode, message, { errorPath: [call.pluginId, 'module-plugin-manager'] })
        },
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: /./,
    where: 'service-off.registrar in After resources',
    who: 'Administrator: Decide with Aisha Rahman whether to restore the service',
    todo: /Aisha Rahman disabled the service[^]*The relay is closed/,
    says: [/service-off\.mail/],
  },
  {
    name: 'not-for-us-any-more',
    // an administrator takes the scope from the service that the plugin resolves
    async cause(shop, system) {
      const { secret } = await shop.newCredential()
      shop.answer({
        registrar: async (call) => {
          if (call.stage === 'BEFORE_RESOURCES') return registered(call)
          await shop.saveService({ consumers: [system.newScope()] })
          const { errorCode, message } = await shop.resolve(call, secret)
          return refusal(errorCode, message, { errorPath: [call.pluginId, 'module-plugin-manager'] })
        },
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'This scope may not use the service',
    where: 'not-for-us-any-more.registrar in After resources',
    who: 'Administrator: Decide with Aisha Rahman whether to allow this scope to use the service again',
    todo: /removed this scope from those that may use the service[^]*If not, take the operation over/,
    says: [/Consumers [^]*production\/e2e\/\d+[^]*→/],
  },
  {
    name: 'replayed-stage',
    // a cache in front of the plugin answers the second call of an operation with the response to the first
    async cause(shop) {
      await shop.ended((await shop.install()).operationId)
      const kept = new Map<string, string>()
      shop.answer({
        sync: ({ request }) => {
          const { operationId } = request.operation
          const hit = kept.get(operationId)
          const body = hit ?? JSON.stringify(successOf(request, { outcome: 'APPLIED' }))
          kept.set(operationId, body)
          const cached = hit === undefined ? {} : { age: '31', 'x-cache': 'HIT' }
          return { status: 200, body, headers: { 'content-type': 'application/json', ...cached } }
        },
      })
      return shop.ended(await shop.configure('Books'))
    },
    what: 'The plugin’s response does not match the request',
    where: 'replayed-stage.sync in After resources',
    who: 'Plugin owner: Find the cache or proxy that replays the earlier response',
    todo: /^Check whether a cache or proxy[^]*Then retry/,
    says: [
      'the response to the earlier call of this operation, in Before resources',
      /x-cache/,
      'new configuration',
    ],
    neverSays: ['Fix the plugin, then retry'],
  },
  {
    name: 'named',
    // a new version of the plugin refuses a value that the earlier one accepted
    async cause(shop) {
      await shop.ended((await shop.install()).operationId)
      await shop.register('sync', {
        endpoint: `${shop.endpoint('sync')}-v2`,
        reason: 'Version 2 of the plugin',
      })
      shop.answer({
        sync: () => refusal('NAME_INVALID', 'name: must begin with a capital letter since version 2.'),
      })
      return shop.ended(await shop.configure('books'))
    },
    what: 'name: must begin with a capital letter since version 2.',
    where: 'named.sync in Before resources',
    who: /Decide whether to accept the named values[^]*or take it over if a value is wrong/,
    todo: /If a value is wrong, no retry helps: take the operation over/,
    says: ['Version 2 of the plugin', 'books', 'runs with its earlier configuration'],
    neverSays: ['Fix what the plugin reports'],
  },
  {
    name: 'clock-ahead',
    // the clock of the plugin's host is ahead, so that every token seems to have expired
    async cause(shop) {
      const headers = () => ({
        date: new Date(Date.now() + 540_000).toUTCString(),
        'www-authenticate': 'Bearer error="invalid_token"',
      })
      shop.answer({ sync: () => ({ status: 401, body: '', headers: headers() }) })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The plugin returned HTTP 401',
    where: 'clock-ahead.sync in Before resources',
    who: 'Plugin owner: Correct the clock of the plugin’s host',
    todo: /^First correct the clock/,
    says: [/clock of the plugin’s host is \d min( \d+ s)? ahead/, 'invalid_token'],
  },
  {
    name: 'full',
    // the disk of the plugin's host is full when the resources are changed already
    async cause(shop) {
      await shop.ended((await shop.install()).operationId)
      const full: Reply = {
        status: 507,
        body: '{"title":"Insufficient Storage"}',
        headers: { 'content-type': 'application/problem+json', server: 'nginx' },
      }
      shop.answer({ sync: ({ stage }) => (stage === 'AFTER_RESOURCES' ? full : applied) })
      return shop.ended(await shop.configure('Books'))
    },
    what: 'The plugin returned HTTP 507 Insufficient Storage',
    where: 'full.sync in After resources',
    who: 'Plugin owner: Free space on the plugin’s host',
    todo: /no space left/,
    says: ['It is not known whether full.sync acted.', 'have the new configuration'],
  },
  {
    name: 'wave',
    // a target of the second wave of a batch gets no response, so the third one waits
    async cause(shop, system) {
      const scopes = [shop.scope, system.newScope(), system.newScope()]
      await shop.saveService({ consumers: scopes })
      const installed = await Promise.all(scopes.map((scope) => shop.install(scope)))
      for (const { operationId } of installed) await shop.ended(operationId)
      await shop.register('sync', { timeoutMs: 1_000, maxAttempts: 1 })
      const targets = installed.map(({ bundleInstallId }) => bundleInstallId)
      const [first, second] = targets
      shop.answer({
        sync: ({ request }) => (request.installation.bundleInstallId === first ? applied : 'hang'),
      })
      const body = {
        action: 'CONFIGURE' as const,
        title: 'Rename the shops',
        targets,
        concurrency: 1,
        waves: { sizes: [1, 1], soakSeconds: 0, maxFailures: 0 },
        input: { changes: { [shop.locator]: wrapped({ name: 'Books' }) } },
      }
      await system.call(platform, 'POST /batches', { body }, randomUUID())
      const inSecond = async () => {
        const { items } = await system.call(platform, 'GET /operations', {
          query: { bundleInstallId: second ?? '', operationType: 'CONFIGURE' },
        })
        return items[0]?.operationId
      }
      await expect.poll(inSecond, { timeout: 20_000 }).toBeDefined()
      return shop.ended((await inSecond()) ?? '')
    },
    what: 'The plugin did not respond in time',
    where: 'wave.sync in Before resources',
    who: 'Plugin owner: Find out why the plugin took so long',
    todo: /see why it took so long/,
    says: [
      /nothing is scheduled\.\s*Batch\s*Rename the shops\s*Waits between waves\s*The next wave waits because of failures/,
    ],
  },
  {
    name: 'gateway-json',
    // an API gateway in front of the plugin asks to sign in, with HTTP status 200
    async cause(shop) {
      const body = JSON.stringify({ error: 'login_required', login_url: 'https://sso.example.org/login' })
      const headers = { 'content-type': 'application/json', server: 'api-gateway' }
      shop.answer({ sync: () => ({ status: 200, body, headers }) })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The response is not that of a plugin',
    where: 'gateway-json.sync in Before resources',
    who: 'Plugin owner: Check which plugin answers at the endpoint',
    todo: /correct the endpoint or the route to it/,
    says: ['A gateway or another service may have responded', 'api-gateway', 'Only after the cause is fixed'],
    neverSays: ['Fix the plugin'],
  },
  {
    name: 'firewall',
    // a firewall in front of the plugin refuses a value that looks like an attack
    async cause(shop) {
      await shop.ended((await shop.install()).operationId)
      const headers = { 'content-type': 'text/html', server: 'edge-firewall' }
      const blocked: Reply = { status: 403, body: '<title>Request rejected</title>', headers }
      shop.answer({ sync: ({ body }) => (body.includes('union select') ? blocked : applied) })
      return shop.ended(await shop.configure('Trade union select committee'))
    },
    what: 'The plugin returned HTTP 403 Forbidden',
    where: 'firewall.sync in Before resources',
    who: 'Plugin owner: Find out what refuses the call',
    todo: /proxy or firewall in front of it/,
    says: ['edge-firewall'],
  },
  {
    name: 'queue',
    // the calls wait in the plugin for so long that their tokens expire; nobody knows what became of the first one
    async cause(shop) {
      await shop.register('sync', { timeoutMs: 1_000 })
      const expired = 'The token of this call expired 41 s before it left the queue.'
      shop.answer({
        sync: (_, before) => (before === 0 ? 'hang' : refusal('TOKEN_EXPIRED', expired, { retryable: true })),
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The token of this call expired 41 s before it left the queue.',
    where: 'queue.sync in Before resources, attempt 3',
    who: 'Plugin owner: Find and fix the cause',
    todo: /First check what an earlier attempt may have left behind[^]*wait until it is over/,
    says: ['TOKEN_EXPIRED', 'The result of 1 earlier attempt is unknown, so queue.sync may have acted.'],
  },
  {
    name: 'relay',
    // another service behind the plugin refuses it; the message has a word that is also the name of a property
    async cause(shop) {
      shop.answer({
        sync: () =>
          refusal('RELAY_SIGN_IN_FAILED', 'The relay refuses the user name or the password.', {
            errorPath: ['relay.sync', 'mail-hub', 'smtp-relay'],
          }),
      })
      return shop.ended((await shop.install()).operationId)
    },
    what: 'The relay refuses the user name or the password.',
    where: 'relay.sync in Before resources',
    who: 'Plugin owner: Find and fix the cause',
    todo: /error path ends at smtp-relay, behind the plugin/,
    neverSays: ['Named values'],
  },
  {
    name: 'recalled',
    // the version is recalled while the plugin is busy, which then refuses it
    async cause(shop, system) {
      const { bundleInstallId, operationId } = await shop.install()
      await shop.ended(operationId)
      const { environmentKey, bundleId } = shop.manifest.bundle
      const params = { environmentKey, bundleId, version: '1.2.0' }
      const version = '/bundles/{environmentKey}/{bundleId}/versions/{version}'
      await shop.publish('1.2.0')
      const body = { message: 'It loses invoices, use 1.2.1' }
      const recall = once(() =>
        system.call(platform, `POST ${version}/recall`, { params, body }, randomUUID()),
      )
      shop.answer({
        sync: async (_, before) => {
          await recall()
          return before < 2
            ? refusal('BUSY', 'The license server is busy.', { retryable: true })
            : refusal('LICENSE_WITHDRAWN', 'The license of 1.2.0 is withdrawn.')
        },
      })
      const upgrade = { params: { bundleInstallId }, body: { targetVersion: '1.2.0' } }
      const path = 'POST /installations/{bundleInstallId}/upgrade'
      return shop.ended((await system.call(platform, path, upgrade, randomUUID())).operation.operationId)
    },
    what: 'The license of 1.2.0 is withdrawn.',
    where: 'recalled.sync in Before resources',
    who: 'Support: Decide with Aisha Rahman about the recalled version',
    todo: /Aisha Rahman recalled the version[^]*It loses invoices, use 1\.2\.1[^]*install another version/,
    says: [
      /recalled source\/shop-recalled 1\.2\.0[^]*While it ran/,
      'version 1.0.0 runs',
      'or once the version is reinstated',
    ],
    neverSays: ['No registration, credential, service'],
  },
  {
    name: 'locked',
    // the plugin still holds a lock of an operation of another installation
    async cause(shop, system) {
      const other = system.newScope()
      await shop.saveService({ consumers: [shop.scope, other] })
      const { operationId, bundleInstallId } = await shop.install()
      await shop.ended(operationId)
      let holder = ''
      shop.answer({
        sync: ({ request: { operation } }) => {
          if (operation.operationType === 'DETACH')
            return refusal('TENANT_LOCKED', `The tenant is locked by operation ${holder}.`)
          holder = operation.operationId
          return refusal('OUT_OF_MEMORY', 'The memory is used up.')
        },
      })
      await shop.ended((await shop.install(other)).operationId)
      return shop.ended(await shop.detach(bundleInstallId))
    },
    what: 'The tenant is locked by operation',
    where: 'locked.sync in Before resources',
    who: 'Plugin owner: Find and fix the cause',
    todo: /Fix what the plugin reports/,
    says: [/Named operation[^]*Install shop-locked\s*Failed/, 'None so far. Version 1.0.0 is still running.'],
  },
  {
    name: 'other-protocol',
    // the port of the endpoint is that of an SSH server
    async cause(shop) {
      const ssh = createTcpServer((socket) => {
        socket.on('error', () => undefined)
        socket.end('SSH-2.0-OpenSSH_9.6\r\n')
      })
      await new Promise<void>((resolve) => ssh.listen(0, '127.0.0.1', resolve))
      const { port } = ssh.address() as AddressInfo
      await shop.register('sync', { endpoint: `http://127.0.0.1:${port}/lifecycle` })
      const { operationId } = await shop.install()
      await shop.ended(operationId)
      ssh.close()
      return operationId
    },
    what: 'The response is not valid HTTP',
    where: 'other-protocol.sync in Before resources',
    who: 'Plugin owner: Check the changed endpoint with an administrator',
    todo: /First check with them that it is correct/,
    says: ['Check its host and port.'],
  },
]

const soft = expect.configure({ soft: true, timeout: 3_000 })

async function expectFirstScreen(page: Page, operationId: string, expected: Answers): Promise<void> {
  await page.goto(`/operations/${operationId}`)
  const panel = panelOf(page)
  await soft(panel.getByRole('heading', { level: 2 }).first()).toContainText(expected.what)
  await soft(answerOf(page, 'Where')).toContainText(expected.where)
  await soft(answerOf(page, 'Still in progress?')).toContainText(expected.going ?? /^No\. /)
  await soft(answerOf(page, 'Next step')).toContainText(expected.who)
  await soft(answerOf(page, 'What to do')).toContainText(expected.todo)
  // on a phone, only the first answers are in the first screen
  await soft(panel.locator('dt').first()).toHaveText('What to do')
  for (const said of expected.says ?? []) await soft(page.getByRole('main')).toContainText(said)
  for (const unsaid of expected.neverSays ?? []) await soft(panel).not.toContainText(unsaid)
}

test('the first screen of a failure answers five questions, wherever its cause lies', async ({
  system,
  signIn,
}) => {
  test.setTimeout(180_000)
  const shops = await openShops(system)
  try {
    const operations = await Promise.all(
      CASES.map(
        async (failure) => [failure, await failure.cause(await shops.open(failure.name), system)] as const,
      ),
    )
    const page = await signIn('sam')
    for (const [failure, operationId] of operations)
      await test.step(failure.name, () => expectFirstScreen(page, operationId, failure))
  } finally {
    await shops.close()
  }
})

test('an operation that a paused plugin holds says what runs meanwhile, and who decides that it goes on', async ({
  system,
  signIn,
}) => {
  const shops = await openShops(system)
  try {
    const shop = await shops.open('held')
    await shop.ended((await shop.install()).operationId)
    const params = { pluginId: shop.pluginId('sync') }
    const body = { reason: 'Move of the database until 18:00' }
    await system.call(platform, 'POST /plugins/{pluginId}/pause', { params, body }, randomUUID())
    const operationId = await shop.configure('Books')
    const page = await signIn('sam', `/operations/${operationId}`)
    const panel = page.getByRole('region', { name: 'This operation waits until a pause ends' })
    await expect(panel).toContainText(
      'no plugin is called until someone resumes the plugin held.sync on its page.',
    )
    await expect(panel).toContainText(
      'Administrator: Decide with Aisha Rahman when to resume the plugin held.sync on its page',
    )
    await expect(panel).toContainText('held.sync in Before resources')
    await expect(panel).toContainText('version 1.0.0 runs with its earlier configuration')
    await expect(page.getByRole('main')).toContainText('Move of the database until 18:00')
    await system.call(platform, 'POST /plugins/{pluginId}/resume', { params, body }, randomUUID())
    await shop.ended(operationId)
  } finally {
    await shops.close()
  }
})

test('a certificate that expires between two attempts is the cause, and the first call may have acted', async ({
  system,
  signIn,
}) => {
  const authority = await testAuthority()
  const trusted = getCACertificates('default')
  setDefaultCACertificates([...trusted, authority.cert])
  const shops = await openShops(system)
  const valid = await testCertificate({ by: authority })
  const expired = await testCertificate({ by: authority, isExpired: true })
  const server: Server = createServer(valid, (request) => {
    // the certificate is replaced, and the call is cut
    server.setSecureContext(expired)
    request.socket.destroy()
  })
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const shop = await shops.open('expired')
    await shop.register('sync', { endpoint: `https://localhost:${(server.address() as AddressInfo).port}/` })
    const operationId = await shop.ended((await shop.install()).operationId)
    const page = await signIn('sam')
    await expectFirstScreen(page, operationId, {
      what: 'The plugin’s certificate has expired',
      where: 'expired.sync in Before resources',
      who: 'Plugin owner: Fix the certificate or HTTPS',
      todo: /renew the certificate/,
      says: [/earlier attempt/],
    })
  } finally {
    setDefaultCACertificates(trusted)
    server.closeAllConnections()
    server.close()
    await shops.close()
  }
})
