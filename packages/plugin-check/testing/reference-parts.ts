import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '../../../contract/json-schema/json.ts'
import { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import type { Remembered, ReferenceStore, Tenant } from './reference-store.ts'
import { Refusal, Unauthorized } from './refusal.ts'
import { referenceParts, type Access, type ReferenceParts } from './reference-resolve.ts'
import { tokenParts, tokenVerifier, type TokenParts } from './reference-token.ts'

export const PLUGIN_ID = 'reference-plugin'
export const CREDENTIAL = 'reference-credential'

/** What one running plugin knows. */
export interface World extends ReferenceStore {
  platform: string
  running: Map<string, { hash: string; answer: Promise<string> }>
  /** While true, every call fails and is to be repeated. */
  isBackendDown: boolean
  /** How long the effect of a call takes. */
  slowMs: number
}

export interface Result {
  outcome: string
  resources: Record<string, JsonObject>
}

/** The whole behavior of the reference plugin, in parts that a defect or a style replaces. */
export interface Parts extends TokenParts, ReferenceParts {
  /** The status with which a request is refused for its method or type; null if it is not. */
  refuseHttp(incoming: IncomingMessage): number | null
  readBody(incoming: IncomingMessage): Promise<Buffer>
  parseBody(body: Buffer): unknown
  readRequest(json: unknown): LifecycleRequest
  verify(authorization: string | undefined): Promise<Record<string, unknown> | null>
  log(body: Buffer, answer: string, incoming: IncomingMessage): void
  answer(incoming: IncomingMessage): Promise<string>
  keyOf(request: LifecycleRequest): string
  hashOf(body: Buffer, request: LifecycleRequest, incoming: IncomingMessage): string
  recall(key: string, request: LifecycleRequest): Remembered | undefined
  remember(key: string, call: Remembered, request: LifecycleRequest): void
  otherBytes(request: LifecycleRequest): never
  /** Remembered, in progress, or executed now. */
  once(request: LifecycleRequest, hash: string): Promise<string> | string
  execute(request: LifecycleRequest, call: { key: string; hash: string }): Promise<string>
  isLate(sequence: number, operationId: string, mark: { sequence: number; operationId: string }): boolean
  /** Refuses a late call. */
  fence(request: LifecycleRequest): void
  raise(request: LifecycleRequest): void
  /** What happens between the two checks of the sequence. */
  reachBackend(request: LifecycleRequest): Promise<void>
  apply(request: LifecycleRequest): Result
  tenantKey(request: LifecycleRequest, locator: string): string
  tokenOf(request: LifecycleRequest, found: Tenant | undefined): string
  /** Returns how many tenants were removed. */
  remove(request: LifecycleRequest): number
  writesOf(tenant: Tenant, request: LifecycleRequest, access: readonly Access[]): JsonObject
  compose(request: LifecycleRequest, result: Result): string
  composeFailure(refusal: Refusal): { status: number; text: string }
  successStatus: number
  contentType: string
  isCompressed: boolean
  /** The status while the keys of the platform cannot be fetched. */
  keylessStatus: number
}

export const data = (value: unknown): JsonObject => ({ '@type': 'Data', value }) as JsonObject
export const digest = (text: string | Buffer): string => createHash('sha256').update(text).digest('hex')

/** Changes parts of a plugin. Parts call each other through `parts`, so a replaced one is used by all. */
export type Change = (parts: Parts, world: World) => void

export function createParts(world: World, changes: readonly Change[]): Parts {
  const { state, platform } = world
  // filled below, before anything is called
  const parts = {} as Parts
  Object.assign(parts, tokenParts(platform, PLUGIN_ID), referenceParts(platform, CREDENTIAL, parts), {
    successStatus: 200,
    contentType: 'application/json',
    isCompressed: false,
    keylessStatus: 503,
    refuseHttp({ method, headers }) {
      if (method !== 'POST') return 405
      return String(headers['content-type']).startsWith('application/json') ? null : 415
    },
    async readBody(incoming) {
      const chunks: Buffer[] = []
      for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
    parseBody(body) {
      try {
        return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown
      } catch {
        throw new Refusal('REQUEST_INVALID', 'The body is not JSON')
      }
    },
    readRequest(json) {
      const reading = LifecycleRequest.safeParse(json)
      if (!reading.success) throw new Refusal('REQUEST_INVALID', 'The body is not a lifecycle request')
      if (reading.data.pluginId !== PLUGIN_ID)
        throw new Refusal('REQUEST_INVALID', 'The request is for another plugin')
      return reading.data
    },
    log() {
      // a correct plugin logs nothing of a call
    },
    async answer(incoming) {
      const body = await parts.readBody(incoming)
      const claims = await parts.verify(incoming.headers.authorization)
      if (claims === null) throw new Unauthorized()
      const request = parts.readRequest(parts.parseBody(body))
      if (!Object.values(parts.callChecks).every((check) => check(claims, request))) throw new Unauthorized()
      const answer = await parts.once(request, parts.hashOf(body, request, incoming))
      parts.log(body, answer, incoming)
      return answer
    },
    keyOf: ({ operation, stage }) => `${operation.operationId} ${stage}`,
    hashOf: (body) => digest(body),
    recall: (key) => state.calls[key],
    remember(key, call) {
      state.calls[key] = call
    },
    otherBytes() {
      throw new Refusal('REQUEST_CHANGED', 'Another request has this operationId and stage')
    },
    once(request, hash) {
      const key = parts.keyOf(request)
      const remembered = parts.recall(key, request)
      if (remembered !== undefined)
        return remembered.hash === hash ? remembered.answer : parts.otherBytes(request)
      const first = world.running.get(key)
      if (first !== undefined) return first.hash === hash ? first.answer : parts.otherBytes(request)
      const answer = parts.execute(request, { key, hash }).finally(() => world.running.delete(key))
      world.running.set(key, { hash, answer })
      return answer
    },
    async execute(request, { key, hash }) {
      parts.fence(request)
      parts.raise(request)
      await parts.reachBackend(request)
      const access = await parts.useReferences(request)
      parts.fence(request)
      const result = parts.apply(request)
      for (const [locator, tenant] of tenantsOf(request))
        if (result.outcome === 'APPLIED') result.resources[locator] = parts.writesOf(tenant, request, access)
      const answer = parts.compose(request, result)
      const { bundleInstallId } = request.installation
      parts.remember(key, { hash, answer, bundleInstallId, sequence: request.executionSequence }, request)
      world.save()
      return answer
    },
    isLate: (sequence, operationId, mark) =>
      sequence < mark.sequence || (sequence === mark.sequence && operationId !== mark.operationId),
    fence({ installation, operation, executionSequence }) {
      const mark = state.marks[installation.bundleInstallId]
      if (mark === undefined) return
      if (parts.isLate(executionSequence, operation.operationId, mark))
        throw new Refusal('SEQUENCE_STALE', 'A later operation has arrived')
      if (mark.isDetached && ['UPGRADE', 'CONFIGURE'].includes(operation.operationType))
        throw new Refusal('NOT_INSTALLED', 'The installation was detached')
    },
    raise({ installation, operation, executionSequence }) {
      const { isDetached = false } = state.marks[installation.bundleInstallId] ?? {}
      const { operationId } = operation
      state.marks[installation.bundleInstallId] = { sequence: executionSequence, operationId, isDetached }
      world.save()
    },
    async reachBackend() {
      if (world.isBackendDown) throw new Refusal('BACKEND_DOWN', 'The tenant service is not available', true)
      if (world.slowMs > 0) await wait(world.slowMs)
    },
    apply(request) {
      const { operation, stage, resources } = request
      if (operation.operationType === 'DETACH') {
        if (stage === 'BEFORE_RESOURCES') return { outcome: 'NOT_APPLIED', resources: {} }
        const removed = parts.remove(request)
        const mark = state.marks[request.installation.bundleInstallId]
        if (mark !== undefined) mark.isDetached = true
        return { outcome: removed > 0 ? 'APPLIED' : 'NOT_APPLIED', resources: {} }
      }
      if (stage === 'AFTER_RESOURCES') return { outcome: 'VERIFIED', resources: {} }
      for (const [locator, { action, properties }] of Object.entries(resources)) {
        const key = parts.tenantKey(request, locator)
        if (action === 'DETACH') {
          delete state.tenants[key]
          continue
        }
        const displayName = properties['displayName']?.value ?? ''
        if (typeof displayName !== 'string') throw new Refusal('NAME_INVALID', 'displayName must be a text')
        const { bundleInstallId, bundle } = request.installation
        const found = state.tenants[key]
        state.tenants[key] = {
          id: found?.id ?? digest(key).slice(0, 12),
          bundleInstallId,
          bundleId: bundle.bundleId,
          locator,
          displayName,
          seats: Number(properties['seats']?.value ?? 0),
          version: operation.targetVersion,
          accessToken: parts.tokenOf(request, found),
        }
      }
      return { outcome: 'APPLIED', resources: {} }
    },
    tenantKey: ({ installation }, locator) => `${installation.bundleInstallId} ${locator}`,
    tokenOf: (_request, found) => found?.accessToken ?? randomBytes(16).toString('hex'),
    remove({ installation }) {
      const removed = Object.entries(state.tenants).filter(
        ([, { bundleInstallId }]) => bundleInstallId === installation.bundleInstallId,
      )
      for (const [key] of removed) delete state.tenants[key]
      return removed.length
    },
    writesOf: ({ id, accessToken }) => ({
      tenantId: data(id),
      accessToken: { ...data(accessToken), isSensitive: true },
      region: data('eu'),
    }),
    compose({ configuration: _configuration, resources: _resources, ...echo }, { outcome, resources }) {
      return JSON.stringify({
        contractVersion: '1.0.0',
        errorCode: '0',
        data: { ...echo, outcome, resources },
      })
    },
    composeFailure({ code, message, isRetryable }) {
      const failure = { message: message.slice(0, 500), retryable: isRetryable }
      return {
        status: 200,
        text: JSON.stringify({ contractVersion: '1.0.0', errorCode: code, data: failure }),
      }
    },
  } satisfies Omit<Parts, keyof TokenParts | keyof ReferenceParts | 'verify'>)
  function tenantsOf(request: LifecycleRequest): (readonly [string, Tenant])[] {
    return Object.keys(request.resources).flatMap((locator) => {
      const tenant = state.tenants[parts.tenantKey(request, locator)]
      return tenant === undefined ? [] : [[locator, tenant] as const]
    })
  }
  parts.verify = tokenVerifier(platform, parts)
  for (const change of changes) change(parts, world)
  return parts
}
