import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '../../../contract/json-schema/json.ts'
import { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import type { DefectName } from './defects.ts'
import { openReferenceStore, type StoredState, type Tenant } from './reference-store.ts'
import { resolveReferences } from './reference-resolve.ts'
import { createTokenVerifier } from './reference-token.ts'

export interface ReferenceOptions {
  platform: string
  /** Null keeps everything in memory. */
  file: string | null
  defect: DefectName | null
  port?: number
  /** How long each answer takes at least; default 0. */
  answerMs?: number
}

/** A failure that the plugin reports. */
class Refusal extends Error {
  readonly code: string
  readonly isRetryable: boolean

  constructor(code: string, message: string, isRetryable = false) {
    super(message)
    this.code = code
    this.isRetryable = isRetryable
  }
}

const PLUGIN_ID = 'reference-plugin'
const CREDENTIAL = 'reference-credential'

/**
 * A plugin without the SDK that satisfies every case, and breaks exactly one rule if a defect is planted. It makes one
 * tenant for each Module. `POST /lifecycle` and `GET /tenants`.
 */
export async function startReferencePlugin({
  platform,
  file,
  defect,
  port = 0,
  answerMs = 0,
}: ReferenceOptions) {
  const has = (name: DefectName): boolean => name === defect
  const store = openReferenceStore(file)
  const { state } = store
  // What must not survive a restart if the defect is planted.
  const calls = has('memory-in-process') ? {} : state.calls
  const running = new Map<string, { hash: string; answer: Promise<string> }>()
  const tokens = createTokenVerifier(platform, PLUGIN_ID, has)

  async function answer(incoming: IncomingMessage): Promise<string> {
    if (answerMs > 0) await wait(answerMs)
    const body = await readBody(incoming, has('first-chunk'))
    if (has('raises-before-token')) raiseUnverified(state, body)
    const claims = await tokens.verify(incoming.headers.authorization)
    if (claims === null) throw new Unauthorized()
    const request = readRequest(body, has)
    if (!tokens.matches(claims, request)) throw new Unauthorized()
    if (has('secret-in-log')) console.log(body.toString())
    return once(request, createHash('sha256').update(body).digest('hex'))
  }

  /** Remembered, in progress, or executed now. */
  function once(request: LifecycleRequest, hash: string): Promise<string> | string {
    const key = `${request.operation.operationId} ${request.stage}`
    const remembered = calls[key]
    if (remembered !== undefined && !has('new-token-in-repeat')) {
      if (remembered.hash !== hash && !has('no-fingerprint')) throw otherBytes(request, has)
      return remembered.answer
    }
    const first = running.get(key)
    if (first !== undefined && !has('no-lock')) {
      if (first.hash !== hash) throw otherBytes(request, has)
      return first.answer
    }
    const result = execute(request, { key, hash }).finally(() => running.delete(key))
    running.set(key, { hash, answer: result })
    return result
  }

  async function execute(request: LifecycleRequest, { key, hash }: { key: string; hash: string }) {
    checkSequence(state, request, has)
    const { bundleInstallId } = request.installation
    const mark = { sequence: request.executionSequence, operationId: request.operation.operationId }
    state.marks[bundleInstallId] = { ...mark, isDetached: false }
    const access = await resolveReferences(request, { platform, credential: CREDENTIAL, has })
    if (access === null) throw new Refusal('MAIL_UNAVAILABLE', 'The mail service is not available', true)
    if (access === 'refused') throw new Refusal('MAIL_NOT_AUTHORIZED', 'The mail service may not be used')
    if (has('no-lock')) await wait(15)
    checkSequence(state, request, has)
    if (has('effect-before-memory') && request.operation.operationType === 'INSTALL') await leak(request)
    const result = apply(state, request, has)
    if (access[0] !== undefined && has('writes-access-token'))
      for (const locator of Object.keys(request.resources))
        result.resources[locator] = { region: data(access[0]) }
    const text = compose(request, result, has)
    calls[key] = { hash, answer: text }
    store.save()
    return text
  }

  /** The effect is saved under a name that no repeat can find. */
  async function leak({ installation }: LifecycleRequest): Promise<void> {
    const id = randomBytes(8).toString('hex')
    const { bundleInstallId, bundle } = installation
    const owner = { bundleInstallId, bundleId: bundle.bundleId }
    state.tenants[id] = { id, ...owner, locator: '', displayName: '', accessToken: '' }
    store.save()
    await wait(60)
    delete state.tenants[id]
  }

  const server = createServer((incoming, outgoing) => {
    if (incoming.url === '/tenants') return send(outgoing, 200, JSON.stringify(listed(state)))
    if (incoming.url !== '/lifecycle') return send(outgoing, 404, '')
    if (incoming.method !== 'POST') return send(outgoing, 405, '')
    if (!String(incoming.headers['content-type']).startsWith('application/json'))
      return send(outgoing, 415, '')
    answer(incoming).then(
      (text) => send(outgoing, has('status-201') ? 201 : 200, text),
      (error: unknown) => fail(outgoing, error, has),
    )
  })
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve)
  })
  // A listening server always has such an address.
  const address = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

class Unauthorized extends Error {}

function fail(outgoing: ServerResponse, error: unknown, has: (defect: DefectName) => boolean): void {
  if (error instanceof Unauthorized) return send(outgoing, 401, '')
  const refusal = error instanceof Refusal ? error : new Refusal('INTERNAL', 'Something went wrong', true)
  const message = has('stack-in-message') ? (refusal.stack ?? '') : refusal.message
  const code = has('lower-case-code') ? refusal.code.toLowerCase() : refusal.code
  const retryable =
    has('failure-without-retryable') && !refusal.isRetryable ? {} : { retryable: refusal.isRetryable }
  const failure = { message: message.slice(0, 500), ...retryable }
  return send(outgoing, 200, JSON.stringify({ contractVersion: '1.0.0', errorCode: code, data: failure }))
}

function send(outgoing: ServerResponse, status: number, text: string): void {
  if (!outgoing.destroyed) outgoing.writeHead(status, { 'content-type': 'application/json' }).end(text)
}

async function readBody(incoming: IncomingMessage, isFirstOnly: boolean): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
  return isFirstOnly ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks)
}

function readRequest(body: Buffer, has: (defect: DefectName) => boolean): LifecycleRequest {
  let json: JsonObject
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new Refusal('REQUEST_INVALID', 'The body is not JSON')
  }
  if (has('next-contract') && json['contractVersion'] === '7.0.0') json['contractVersion'] = '6.0.0'
  if (has('sequence-as-text')) json['executionSequence'] = Number(json['executionSequence'])
  const reading = LifecycleRequest.safeParse(json)
  if (!reading.success) throw new Refusal('REQUEST_INVALID', 'The body is not a lifecycle request')
  if (reading.data.pluginId !== PLUGIN_ID && !has('any-plugin-id'))
    throw new Refusal('REQUEST_INVALID', 'The request is for another plugin')
  const { targetVersion } = reading.data.operation
  if (has('orders-versions') && !/^\d+\.\d+\.\d+$/.test(targetVersion))
    throw new Refusal('VERSION_INVALID', 'A version must have three numbers')
  return reading.data
}

function raiseUnverified(state: StoredState, body: Buffer): void {
  try {
    const request = LifecycleRequest.parse(JSON.parse(body.toString()))
    const { operation, installation, executionSequence: sequence } = request
    const mark = state.marks[installation.bundleInstallId]
    if (mark !== undefined && sequence > mark.sequence)
      state.marks[installation.bundleInstallId] = { ...mark, sequence, operationId: operation.operationId }
  } catch {
    // refused later
  }
}

function checkSequence(
  { marks }: StoredState,
  { installation, operation, executionSequence }: LifecycleRequest,
  has: (defect: DefectName) => boolean,
): void {
  const mark = marks[installation.bundleInstallId]
  if (mark === undefined) return
  const isLower = has('sequence-order-of-texts')
    ? String(executionSequence) < String(mark.sequence)
    : executionSequence < mark.sequence
  const isOther =
    executionSequence === mark.sequence && operation.operationId !== mark.operationId && !has('same-sequence')
  if (isLower || isOther) throw new Refusal('SEQUENCE_STALE', 'A later operation has arrived')
  const isActive = ['UPGRADE', 'CONFIGURE'].includes(operation.operationType)
  if (mark.isDetached && isActive) throw new Refusal('NOT_INSTALLED', 'The installation was detached')
}

interface Result {
  outcome: string
  resources: Record<string, JsonObject>
}

function apply(state: StoredState, request: LifecycleRequest, has: (defect: DefectName) => boolean): Result {
  const { installation, operation, stage, executionSequence } = request
  const { bundleInstallId, bundle } = installation
  if (operation.operationType === 'DETACH') {
    if (stage === 'BEFORE_RESOURCES') return { outcome: 'NOT_APPLIED', resources: {} }
    const removed = Object.entries(state.tenants).filter(([, tenant]) =>
      has('detach-removes-all')
        ? tenant.bundleId === bundle.bundleId
        : tenant.bundleInstallId === bundleInstallId,
    )
    for (const [key] of removed) delete state.tenants[key]
    if (removed.length === 0 && has('detach-must-find'))
      throw new Refusal('NOT_INSTALLED', 'There is nothing to remove')
    const { operationId } = operation
    if (has('no-tombstone')) delete state.marks[bundleInstallId]
    else state.marks[bundleInstallId] = { sequence: executionSequence, operationId, isDetached: true }
    return { outcome: removed.length > 0 ? 'APPLIED' : 'NOT_APPLIED', resources: {} }
  }
  if (stage === 'AFTER_RESOURCES') return { outcome: 'VERIFIED', resources: {} }
  const resources: Record<string, JsonObject> = {}
  for (const [locator, { action, properties, references }] of Object.entries(request.resources)) {
    if (action === 'DETACH') {
      delete state.tenants[`${bundleInstallId} ${locator}`]
      continue
    }
    const displayName = properties['displayName']?.value ?? ''
    if (typeof displayName !== 'string')
      throw new Refusal(
        'NAME_INVALID',
        has('secret-in-message')
          ? `The name is wrong: ${JSON.stringify(properties)}`
          : 'displayName must be a text',
      )
    const tenant = putTenant(state, request, { locator, displayName, has })
    resources[locator] = writesOf(tenant, Object.entries(references)[0], has)
  }
  if (has('foreign-resource')) resources['production/other/MODULE/other'] = { region: data('eu') }
  const isNotApplied = has('not-applied-with-writes') && operation.operationType === 'CONFIGURE'
  return { outcome: isNotApplied ? 'NOT_APPLIED' : 'APPLIED', resources }
}

function putTenant(
  { tenants }: StoredState,
  { installation }: LifecycleRequest,
  { locator, displayName, has }: { locator: string; displayName: string; has: (name: DefectName) => boolean },
): Tenant {
  const { bundleInstallId, bundle, workspaceId } = installation
  const base = `${bundleInstallId} ${locator}`
  const key = has('no-lock') ? `${base} ${randomBytes(4).toString('hex')}` : base
  const found = tenants[key]
  const accessToken =
    found !== undefined && !has('new-token-in-repeat')
      ? found.accessToken
      : has('token-of-workspace')
        ? createHash('sha256').update(`workspace ${workspaceId}`).digest('hex')
        : randomBytes(16).toString('hex')
  const id = createHash('sha256').update(base).digest('hex').slice(0, 12)
  const tenant = { id, bundleInstallId, bundleId: bundle.bundleId, locator, displayName, accessToken }
  tenants[key] = tenant
  return tenant
}

const data = (value: string): JsonObject => ({ '@type': 'Data', value })

function writesOf(
  { id, accessToken }: Tenant,
  reference: readonly [string, unknown] | undefined,
  has: (defect: DefectName) => boolean,
): JsonObject {
  return {
    tenantId: has('bare-write')
      ? id
      : { ...data(id), ...(has('marked-plain-value') && { isSensitive: true }) },
    accessToken: { ...data(accessToken), ...(!has('unmarked-secret') && { isSensitive: true }) },
    region: data(has('writes-mask') ? '••••••••' : 'eu'),
    ...(has('undeclared-write') && { color: data('red') }),
    ...(has('writes-protected') && { instanceRefProperty: data(id) }),
    ...(has('writes-reference') && reference !== undefined && { [reference[0]]: data('mail') }),
  }
}

function compose(
  request: LifecycleRequest,
  { outcome, resources }: Result,
  has: (defect: DefectName) => boolean,
): string {
  const { configuration: _configuration, resources: _resources, ...echo } = request
  const { bundle: _bundle, ...withoutBundle } = echo.installation
  const body = {
    ...echo,
    installation: has('echo-without-bundle') ? withoutBundle : echo.installation,
    executionSequence: has('echo-sequence-as-text') ? String(echo.executionSequence) : echo.executionSequence,
    outcome: has('lower-case-outcome') ? outcome.toLowerCase() : outcome,
    resources,
  }
  if (has('bare-data')) return JSON.stringify(body)
  return JSON.stringify({
    contractVersion: has('data-version-in-envelope') ? '6.0.0' : '1.0.0',
    errorCode: has('number-error-code') ? 0 : '0',
    data: body,
  })
}

/** Without secrets. */
const listed = ({ tenants }: StoredState): unknown[] =>
  Object.entries(tenants).map(([key, { accessToken: _token, ...tenant }]) => ({ key, ...tenant }))

const otherBytes = (request: LifecycleRequest, has: (defect: DefectName) => boolean): Refusal =>
  new Refusal(
    'REQUEST_CHANGED',
    has('secret-in-message')
      ? `The request has changed: ${JSON.stringify(request.resources)}`
      : 'Another request has this operationId and stage',
  )
