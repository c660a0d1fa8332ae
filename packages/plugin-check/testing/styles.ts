import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import type { Change, Parts, Result, World } from './reference-parts.ts'
import { Refusal } from './refusal.ts'

/** Another correct way to satisfy the protocol. */
export interface Style {
  title: string
  change: Change
}

/** Replaces `execute`, which runs a call that is neither remembered nor in progress, when the call arrives first. */
const atFirst =
  (react: (parts: Parts, request: LifecycleRequest, go: () => Promise<string>) => string): Change =>
  (parts) => {
    const { execute } = parts
    const seen = new Set<string>()
    parts.execute = async (request, call) => {
      if (seen.has(call.key)) return execute(request, call)
      parts.fence(request)
      seen.add(call.key)
      return react(parts, request, () => execute(request, call))
    }
  }

const unknown = (parts: Parts, request: LifecycleRequest): string =>
  parts.compose(request, { outcome: 'UNKNOWN', resources: {} })

function httpFirst(status: number): Change {
  return (parts, world) => {
    atFirst(() => {
      throw new Refusal('BUSY', 'Later', true)
    })(parts, world)
    refuseWith(status, 'BUSY')(parts, world)
  }
}

const refuseWith =
  (status: number, code: string): Change =>
  (parts) => {
    const { composeFailure } = parts
    parts.composeFailure = (refusal) =>
      refusal.code === code ? { status, text: JSON.stringify({ status }) } : composeFailure(refusal)
  }

/** Changes what the effect returns. */
const editResult =
  (edit: (request: LifecycleRequest, result: Result, world: World) => Result): Change =>
  (parts, world) => {
    const { compose } = parts
    parts.compose = (request, result) => compose(request, edit(request, result, world))
  }

const asOutcome =
  (outcome: string, code: string): Change =>
  (parts) => {
    const { execute } = parts
    parts.execute = async (request, call) => {
      try {
        return await execute(request, call)
      } catch (error) {
        if (error instanceof Refusal && error.code === code)
          return parts.compose(request, { outcome, resources: {} })
        throw error
      }
    }
  }

const RESTART_AFTER = 20

/** Ways in which correct plugins differ, by name. None of them has a finding. */
export const STYLES = {
  'unknown-first': {
    title: 'answers each call with UNKNOWN at first, before anything happens',
    change: atFirst(unknown),
  },
  background: {
    title: 'acts in the background, and answers UNKNOWN until that is done',
    change(parts) {
      const { execute } = parts
      const jobs = new Map<string, 'running' | Refusal>()
      parts.execute = async (request, call) => {
        const job = jobs.get(call.key)
        if (job === 'running') return unknown(parts, request)
        if (job !== undefined) {
          jobs.delete(call.key)
          throw job
        }
        parts.fence(request)
        jobs.set(call.key, 'running')
        void wait(30)
          .then(() => execute(request, call))
          .then(
            () => jobs.delete(call.key),
            (error: unknown) => jobs.set(call.key, error as Refusal),
          )
        return unknown(parts, request)
      }
    },
  },
  'retry-first': {
    title: 'answers each call with a failure to be retried at first',
    change: atFirst(() => {
      throw new Refusal('BUSY', 'Later', true)
    }),
  },
  'unavailable-first': { title: 'answers each call with 503 at first', change: httpFirst(503) },
  'too-many-first': { title: 'answers each call with 429 at first', change: httpFirst(429) },
  slow: {
    title: 'takes 40 ms for each call',
    change(parts) {
      const { reachBackend } = parts
      parts.reachBackend = async (request) => {
        await wait(40)
        return reachBackend(request)
      }
    },
  },
  restarting: {
    title: 'loses all connections again and again, like a plugin that is deployed',
    change(parts) {
      const { answer } = parts
      const open = new Set<IncomingMessage>()
      let answered = 0
      parts.answer = async (incoming) => {
        open.add(incoming)
        try {
          return await answer(incoming)
        } finally {
          if (++answered % RESTART_AFTER === 0) for (const { socket } of open) socket.destroy()
          open.delete(incoming)
        }
      }
    },
  },
  forgetting: {
    title: 'forgets the calls of earlier operations when a later one arrives',
    change(parts, { state }) {
      const { recall } = parts
      parts.recall = (key, request) => {
        const found = recall(key, request)
        const { sequence = 0 } = state.marks[request.installation.bundleInstallId] ?? {}
        return found !== undefined && found.sequence < sequence ? undefined : found
      }
    },
  },
  'refuses-in-progress': {
    title: 'answers a repeat with a failure to be retried while the first call runs',
    change(parts, { running }) {
      const { once } = parts
      parts.once = (request, hash) => {
        if (running.has(parts.keyOf(request)))
          throw new Refusal('IN_PROGRESS', 'The call is in progress', true)
        return once(request, hash)
      }
    },
  },
  'transport-refusals': {
    title: 'refuses what is no lifecycle request with 400',
    change: refuseWith(400, 'REQUEST_INVALID'),
  },
  'works-after': {
    title: 'does everything in AFTER_RESOURCES',
    change(parts) {
      const { apply } = parts
      parts.apply = (request) =>
        request.stage === 'BEFORE_RESOURCES'
          ? { outcome: 'NOT_APPLIED', resources: {} }
          : apply(
              request.operation.operationType === 'DETACH'
                ? request
                : { ...request, stage: 'BEFORE_RESOURCES' },
            )
    },
  },
  'removes-before': {
    title: 'removes in BEFORE_RESOURCES of a DETACH',
    change(parts) {
      const { apply } = parts
      parts.apply = (request) =>
        request.operation.operationType === 'DETACH'
          ? apply({ ...request, stage: 'AFTER_RESOURCES' })
          : apply(request)
    },
  },
  'writes-only-at-install': {
    title: 'writes nothing after INSTALL, and then answers NOT_APPLIED where nothing changed',
    change: editResult(({ operation, stage }, result) =>
      operation.operationType === 'INSTALL' && stage === 'BEFORE_RESOURCES'
        ? result
        : { outcome: stage === 'AFTER_RESOURCES' ? 'NOT_APPLIED' : result.outcome, resources: {} },
    ),
  },
  adopting: {
    title: 'adopts or creates again what a CONFIGURE needs, also after a DETACH',
    change(parts, { state }) {
      const { raise } = parts
      parts.raise = (request) => {
        raise(request)
        const mark = state.marks[request.installation.bundleInstallId]
        if (mark !== undefined && request.operation.operationType !== 'DETACH') mark.isDetached = false
      }
      const { fence } = parts
      parts.fence = (request) => {
        const mark = state.marks[request.installation.bundleInstallId]
        const isNewer = mark !== undefined && mark.isDetached && request.executionSequence > mark.sequence
        if (!isNewer) fence(request)
      }
    },
  },
  'keeps-rows': {
    title: 'keeps the rows of a DETACH, marked as removed',
    change(parts, { state }) {
      parts.remove = ({ installation }) => {
        const rows = Object.values(state.tenants).filter(
          ({ bundleInstallId, version }) =>
            bundleInstallId === installation.bundleInstallId && version !== 'removed',
        )
        for (const row of rows) row.version = 'removed'
        return rows.length
      }
    },
  },
  'other-text': {
    title: 'formats its JSON, omits what is optional and adds fields that readers ignore',
    change(parts) {
      const { compose } = parts
      parts.contentType = 'application/json; charset=utf-8'
      parts.compose = (request, result) => {
        // written by `compose`
        const { data } = JSON.parse(compose(request, result)) as { data: Record<string, unknown> }
        if (data['outcome'] === 'NOT_APPLIED') delete data['resources']
        return JSON.stringify({ data: { ...data, took: 3 }, errorCode: '0', node: 'a' }, null, 2)
      }
    },
  },
  compressed: {
    title: 'compresses its responses with gzip',
    change: (parts) => {
      parts.isCompressed = true
    },
  },
  'memory-by-installation': {
    title: 'takes the same operationId of another installation for another call',
    change(parts) {
      const { keyOf } = parts
      parts.keyOf = (request) => `${request.installation.bundleInstallId} ${keyOf(request)}`
    },
  },
  'failed-outcome': {
    title: 'reports a business failure as the outcome FAILED',
    change: asOutcome('FAILED', 'NAME_INVALID'),
  },
  'unknown-when-down': {
    title: 'reports a temporary failure as UNKNOWN',
    change: asOutcome('UNKNOWN', 'BACKEND_DOWN'),
  },
  'unavailable-when-down': {
    title: 'reports a temporary failure as 503',
    change: refuseWith(503, 'BACKEND_DOWN'),
  },
} as const satisfies Record<string, Style>

export type StyleName = keyof typeof STYLES
