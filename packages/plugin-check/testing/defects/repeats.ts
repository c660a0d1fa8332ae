import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { breaks } from './defect.ts'
import { remembering, hashing, markOf, tenantsOf, leak, REPEATS } from './plant.ts'
import { digest, type World } from '../reference-parts.ts'
import { Refusal } from '../refusal.ts'

// What is wrong with values, repeats and calls at once.

export const REPEAT_DEFECTS = {
  'ignores-install-values': breaks(
    'lifecycle.install-applies',
    'makes every tenant with the same name',
    (parts, { state }) => {
      const { apply } = parts
      parts.apply = (request) => {
        const result = apply(request)
        if (request.operation.operationType === 'INSTALL')
          for (const tenant of Object.values(state.tenants))
            if (tenant.bundleInstallId === request.installation.bundleInstallId)
              tenant.displayName = 'Northwind'
        return result
      }
    },
  ),
  'ignores-changes': breaks(
    'lifecycle.configure-applies',
    'answers APPLIED to a CONFIGURE and changes nothing',
    (parts) => {
      const { apply } = parts
      parts.apply = (request) =>
        request.operation.operationType === 'CONFIGURE'
          ? { outcome: 'APPLIED', resources: {} }
          : apply(request)
    },
    ['module.value-removed', 'values'],
  ),
  'ignores-changes-of-upgrade': breaks(
    'lifecycle.upgrade-applies',
    'ignores the values of an UPGRADE',
    (parts) => {
      const { apply } = parts
      parts.apply = (request) =>
        request.operation.operationType === 'UPGRADE' &&
        !Object.values(request.resources).some(({ action }) => action !== 'UPGRADE')
          ? { outcome: 'APPLIED', resources: {} }
          : apply(request)
    },
  ),
  'unwraps-twice': breaks(
    'values.wrapper-shaped',
    'unwraps business values that look like a wrapper',
    (parts) => {
      const { apply } = parts
      parts.apply = (request) => {
        const copy = structuredClone(request)
        for (const { properties } of Object.values(copy.resources))
          for (const property of Object.values(properties)) {
            const { value } = property
            if (typeof value === 'object' && value !== null && '@type' in value && 'value' in value)
              property.value = (value as { value: string }).value
          }
        return apply(copy)
      }
    },
  ),
  'order-before-memory': breaks(
    'repeat.after-later-operation',
    'compares sequences before it looks for the remembered response',
    (parts) => {
      const { once } = parts
      parts.once = (request, hash) => {
        parts.fence(request)
        return once(request, hash)
      }
    },
    REPEATS,
  ),
  'new-token-in-repeat': breaks(
    'repeat.every-call',
    'executes every repeat and issues a new token',
    (parts) => {
      parts.recall = () => undefined
      parts.tokenOf = () => randomBytes(16).toString('hex')
    },
    [...REPEATS, 'service', 'reference'],
  ),
  'masks-in-repeat': breaks(
    'repeat.every-call',
    'hides its token from repeats',
    (parts) => {
      const { recall } = parts
      parts.recall = (...args) => {
        const found = recall(...args)
        return (
          found && {
            ...found,
            answer: found.answer.replace(/("accessToken":\{"@type":"Data","value":)"[^"]+"/, '$1"hidden"'),
          }
        )
      }
    },
    REPEATS,
  ),
  'repeat-not-applied': breaks(
    'repeat.every-call',
    'answers NOT_APPLIED to a repeat of a CONFIGURE',
    (parts) => {
      const { recall } = parts
      parts.recall = (key, request) => {
        const found = recall(key, request)
        if (found === undefined || request.operation.operationType !== 'CONFIGURE') return found
        return { ...found, answer: parts.compose(request, { outcome: 'NOT_APPLIED', resources: {} }) }
      }
    },
    REPEATS,
  ),
  'after-not-remembered': breaks(
    'repeat.every-call',
    'verifies again in every repeat of AFTER_RESOURCES',
    (parts) => {
      const { recall } = parts
      parts.recall = (key, request) => {
        const found = recall(key, request)
        return found !== undefined &&
          request.stage === 'AFTER_RESOURCES' &&
          request.operation.operationType !== 'DETACH'
          ? { ...found, answer: parts.compose(request, { outcome: 'NOT_APPLIED', resources: {} }) }
          : found
      }
    },
    REPEATS,
  ),
  'detach-not-remembered': breaks(
    'repeat.every-call',
    'looks again in every repeat of a DETACH',
    (parts) => {
      const { recall } = parts
      parts.recall = (key, request) =>
        request.operation.operationType === 'DETACH' ? undefined : recall(key, request)
    },
    [...REPEATS],
  ),
  'memory-of-three': breaks(
    'repeat.every-call',
    'forgets a call after three repeats',
    (parts, { state }) => {
      const { recall } = parts
      const counts = new Map<string, number>()
      parts.recall = (key, request) => {
        counts.set(key, (counts.get(key) ?? 0) + 1)
        if ((counts.get(key) ?? 0) <= 4) return recall(key, request)
        delete state.calls[key]
        for (const tenant of tenantsOf({ state } as World, request))
          tenant.accessToken = randomBytes(16).toString('hex')
        return undefined
      }
    },
    ['concurrent', 'repeat', 'connection', 'bytes.every-call'],
  ),
  'memory-of-hundred-calls': breaks(
    'repeat.after-other-calls',
    'remembers the last hundred calls only',
    remembering((_parts, _request, _key, { state }) => {
      for (const key of Object.keys(state.calls).slice(0, -100)) delete state.calls[key]
    }),
    ['concurrent', 'repeat', 'connection'],
  ),
  'memory-of-one-stage': breaks(
    'repeat.every-call',
    'forgets the first stage when the second is done',
    remembering((_, request, key, { state }) => {
      if (request.stage === 'AFTER_RESOURCES')
        delete state.calls[key.replace('AFTER_RESOURCES', 'BEFORE_RESOURCES')]
      for (const tenant of tenantsOf({ state } as World, request))
        if (request.stage === 'AFTER_RESOURCES') tenant.accessToken = randomBytes(16).toString('hex')
    }),
    [...REPEATS, 'secret'],
  ),
  'key-without-stage': breaks(
    'repeat.stages-are-separate',
    'remembers calls without their stage',
    (parts) => {
      parts.keyOf = ({ operation }) => operation.operationId
    },
    ['*'],
  ),
  'key-of-sequence': breaks(
    'isolation.remembered-by-operation',
    'remembers calls by sequence and stage',
    (parts) => {
      parts.keyOf = ({ executionSequence, stage }) => `${executionSequence} ${stage}`
    },
    ['*'],
  ),
  'memory-for-other-installation': breaks(
    'isolation.same-operation-id',
    'answers the same operationId of another installation from memory',
    hashing(({ operation, stage, executionSequence, resources }) => [
      operation,
      stage,
      executionSequence,
      resources,
    ]),
    ['version', 'bytes'],
  ),
  'runs-late-repeats': breaks(
    'repeat.every-call',
    'executes a repeat again after a later operation',
    (parts, world) => {
      const { recall, fence } = parts
      const isOld = (request: LifecycleRequest): boolean =>
        request.executionSequence < (markOf(world, request)?.sequence ?? 0) &&
        world.state.calls[parts.keyOf(request)] !== undefined
      parts.recall = (key, request) => (isOld(request) ? undefined : recall(key, request))
      parts.fence = (request) => {
        if (!isOld(request)) fence(request)
      }
    },
    [...REPEATS],
  ),
  'remembers-failures': breaks(
    'repeat.temporary-failure',
    'remembers a temporary failure',
    (parts) => {
      const { execute } = parts
      const failed = new Map<string, unknown>()
      parts.execute = async (request, call) => {
        if (failed.has(call.key)) throw failed.get(call.key)
        try {
          return await execute(request, call)
        } catch (error) {
          if (error instanceof Refusal && error.isRetryable) failed.set(call.key, error)
          throw error
        }
      }
    },
    ['late', 'service', 'reference', 'detach'],
  ),
  'final-failure': breaks(
    'repeat.temporary-failure-is-repeated',
    'reports a temporary failure as final',
    (parts, world) => {
      parts.reachBackend = async () => {
        if (world.isBackendDown) throw new Refusal('BACKEND_DOWN', 'The tenant service is not available')
        if (world.slowMs > 0) await wait(world.slowMs)
      }
    },
    ['repeat', 'late'],
  ),
  'half-attempt': breaks(
    'repeat.no-half-attempt',
    'leaves something behind when an attempt fails',
    (parts, world) => {
      const { reachBackend } = parts
      parts.reachBackend = async (request) => {
        try {
          await reachBackend(request)
        } catch (error) {
          leak(world, request)
          throw error
        }
      }
    },
    ['repeat'],
  ),
  'trace-in-key': breaks(
    'repeat.every-call',
    'takes a call with another traceparent for another call',
    (parts) => {
      const { hashOf, keyOf } = parts
      const traces = new WeakMap<LifecycleRequest, string>()
      parts.hashOf = (body, request, incoming) => {
        traces.set(request, String(incoming.headers['traceparent']))
        return hashOf(body, request, incoming)
      }
      parts.keyOf = (request) => `${keyOf(request)} ${traces.get(request)}`
    },
    ['bytes', 'service.repeat-calls-nothing', ...REPEATS],
  ),
  'hash-without-configuration': breaks(
    'bytes.every-call',
    'leaves the configuration out of the fingerprint',
    hashing((request) => ({ ...request, configuration: null })),
    ['bytes.same-values-refused'],
  ),
  'hash-of-beginning': breaks(
    'bytes.every-call',
    'compares the first 800 characters of a request',
    hashing((request) => JSON.stringify(request).slice(0, 800)),
    ['bytes.same-values-refused'],
  ),
  'hash-without-references': breaks(
    'bytes.every-call',
    'compares requests without their references',
    hashing(({ resources, ...rest }) => [
      rest,
      Object.entries(resources).map(([locator, { references: _references, ...entry }]) => [locator, entry]),
    ]),
    ['bytes.same-values-refused'],
  ),
  'hash-without-case': breaks(
    'bytes.every-call',
    'converts a body to lower case before it takes the fingerprint',
    (parts) => {
      parts.hashOf = (body) => digest(body.toString().toLowerCase())
    },
  ),
  'headers-in-hash': breaks('repeat.other-headers', 'takes other headers for other bytes', (parts) => {
    const { hashOf } = parts
    parts.hashOf = (body, request, incoming) =>
      digest(hashOf(body, request, incoming) + (incoming.headers['user-agent'] ?? ''))
  }),
  'no-fingerprint': breaks(
    'bytes.refused',
    'answers other bytes from memory',
    hashing(() => ''),
    [
      'bytes',
      'restart.other-bytes',
      'concurrent.other-bytes',
      'failure',
      'runbook',
      'isolation.same-operation-id',
    ],
  ),
  'fingerprint-without-values': breaks(
    'bytes.every-call',
    'compares everything but the values of properties',
    hashing((request) => [request.operation, request.stage, request.executionSequence, request.installation]),
    ['bytes'],
  ),
  'fingerprint-without-sequence': breaks(
    'bytes.every-call',
    'compares everything but the sequence',
    hashing((request) => [request.operation, request.stage, request.resources, request.installation]),
    ['bytes'],
  ),
  'fingerprint-of-values': breaks(
    'bytes.same-values-refused',
    'compares the values of a request, not its bytes',
    hashing((request) => request),
  ),
  'executes-other-bytes': breaks(
    'bytes.every-call',
    'refuses other bytes after it executed them',
    (parts) => {
      const { otherBytes, apply } = parts
      parts.otherBytes = (request) => {
        apply(request)
        return otherBytes(request)
      }
    },
    ['failure'],
  ),
  'forgets-at-other-bytes': breaks(
    'bytes.every-call',
    'forgets a call when other bytes arrive',
    (parts, { state }) => {
      const { otherBytes } = parts
      parts.otherBytes = (request) => {
        delete state.calls[parts.keyOf(request)]
        for (const tenant of tenantsOf({ state } as World, request))
          tenant.accessToken = randomBytes(16).toString('hex')
        return otherBytes(request)
      }
    },
    ['repeat', 'bytes', 'secret', 'concurrent'],
  ),
  'after-bytes-unchecked': breaks(
    'bytes.every-call',
    'compares the bytes of BEFORE_RESOURCES only',
    (parts) => {
      const { hashOf } = parts
      parts.hashOf = (body, request, incoming) =>
        request.stage === 'AFTER_RESOURCES' ? '' : hashOf(body, request, incoming)
    },
  ),
}
