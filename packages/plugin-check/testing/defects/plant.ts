import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { JsonObject } from '../../../../contract/json-schema/json.ts'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { digest, type Change, type Parts, type World } from '../reference-parts.ts'
import { Refusal } from '../refusal.ts'

// How defects are planted.

export interface Envelope extends JsonObject {
  data: JsonObject & { installation: JsonObject; operation: JsonObject }
}

/** Changes the envelope of each success. */
export const editing =
  (edit: (envelope: Envelope, request: LifecycleRequest) => unknown): Change =>
  (parts) => {
    const { compose } = parts
    parts.compose = (request, result) => {
      // written by `compose`
      const envelope = JSON.parse(compose(request, result)) as Envelope
      edit(envelope, request)
      return JSON.stringify(envelope)
    }
  }

/** Changes the text of each success. */
export const rewriting =
  (rewrite: (text: string) => string): Change =>
  (parts) => {
    const { compose } = parts
    parts.compose = (request, result) => rewrite(compose(request, result))
  }

/** Adds to what is written, or replaces it. */
export const writing =
  (more: (request: LifecycleRequest, written: JsonObject) => JsonObject): Change =>
  (parts) => {
    const { writesOf } = parts
    parts.writesOf = (tenant, request, access) => {
      const written = writesOf(tenant, request, access)
      return { ...written, ...more(request, written) }
    }
  }

/** Changes the failure of each refusal. */
export const failing =
  (
    edit: (envelope: { errorCode: string; data: JsonObject }, refusal: Refusal) => unknown,
    status = 200,
  ): Change =>
  (parts) => {
    const { composeFailure } = parts
    parts.composeFailure = (refusal) => {
      // written by `composeFailure`
      const envelope = JSON.parse(composeFailure(refusal).text) as { errorCode: string; data: JsonObject }
      edit(envelope, refusal)
      return { status, text: JSON.stringify(envelope) }
    }
  }

/** Reads a request after a change that hides what is wrong with it. */
export const tolerating =
  (hide: (json: Record<string, JsonObject | string | number>) => unknown): Change =>
  (parts) => {
    const { readRequest } = parts
    parts.readRequest = (json) => {
      const copy: unknown = structuredClone(json)
      if (typeof copy === 'object' && copy !== null) hide(copy as never)
      return readRequest(copy)
    }
  }

export const firstReference = ({ resources }: LifecycleRequest): string | undefined =>
  Object.keys(Object.values(resources)[0]?.references ?? {})[0]

/** Compares the sequences in another way. */
export const comparing =
  (isLate: (sequence: number, mark: number, isSame: boolean) => boolean): Change =>
  (parts) => {
    parts.isLate = (sequence, operationId, mark) =>
      isLate(sequence, mark.sequence, operationId === mark.operationId)
  }

/** Changes the fence for calls of which `isMeant` is true. */
export const unfenced =
  (isMeant: (request: LifecycleRequest) => boolean): Change =>
  (parts) => {
    const { fence } = parts
    parts.fence = (request) => {
      if (!isMeant(request)) fence(request)
    }
  }

export const refusing =
  (isMeant: (request: LifecycleRequest, world: World) => boolean, code = 'NOT_INSTALLED'): Change =>
  (parts, world) => {
    const { fence } = parts
    parts.fence = (request) => {
      fence(request)
      if (isMeant(request, world)) throw new Refusal(code, 'The tenant is not in that state')
    }
  }

/** Changes what is remembered. */
export const remembering =
  (change: (parts: Parts, request: LifecycleRequest, key: string, world: World) => void): Change =>
  (parts, world) => {
    const { remember } = parts
    parts.remember = (key, call, request) => {
      remember(key, call, request)
      change(parts, request, key, world)
    }
  }

export const hashing =
  (textOf: (request: LifecycleRequest) => unknown): Change =>
  (parts) => {
    parts.hashOf = (_, request) => digest(JSON.stringify(textOf(request)))
  }

/** Takes the stored sequence back after an error that is meant. */
export const lowering =
  (isMeant: (request: LifecycleRequest, error: unknown) => boolean): Change =>
  (parts, world) => {
    const { execute } = parts
    parts.execute = async (request, call) => {
      const before = markOf(world, request)
      try {
        return await execute(request, call)
      } catch (error) {
        if (before !== undefined && isMeant(request, error))
          world.state.marks[request.installation.bundleInstallId] = before
        throw error
      }
    }
  }

/** Refuses the repetition of a running call with an error that is not retried. The call takes a moment. */
export const refusingWhileRunning =
  (isMeant: (request: LifecycleRequest) => boolean): Change =>
  (parts, { running }) => {
    const { once, reachBackend } = parts
    parts.reachBackend = async (request) => {
      await reachBackend(request)
      await wait(5)
    }
    parts.once = (request, hash) => {
      if (isMeant(request) && running.has(parts.keyOf(request)))
        throw new Refusal('IN_PROGRESS', 'The call is in progress')
      return once(request, hash)
    }
  }

export const installs = ({ operation, stage }: LifecycleRequest): boolean =>
  operation.operationType === 'INSTALL' && stage === 'BEFORE_RESOURCES'

export const markOf = ({ state }: World, { installation }: LifecycleRequest) =>
  state.marks[installation.bundleInstallId]
export const tenantsOf = ({ state }: World, { installation }: LifecycleRequest) =>
  Object.values(state.tenants).filter(
    ({ bundleInstallId }) => bundleInstallId === installation.bundleInstallId,
  )

/** Makes an object that no later attempt finds. */
export function leak({ state }: World, { installation }: LifecycleRequest): string {
  const id = randomBytes(8).toString('hex')
  const { bundleInstallId, bundle } = installation
  const owner = { bundleInstallId, bundleId: bundle.bundleId }
  state.tenants[id] = { id, ...owner, locator: '', displayName: '', seats: 0, version: '', accessToken: '' }
  return id
}

export const REPEATS = [
  'repeat',
  'bytes',
  'concurrent',
  'late',
  'restart',
  'token.fresh-in-each-attempt',
  'detach',
  'crash',
  'isolation',
  'connection',
]
