import type { LifecycleRequest } from '../../../../contract/protocol/lifecycle.ts'
import { breaks } from './defect.ts'
import { comparing, failing, lowering, unfenced, refusing, markOf } from './plant.ts'
import { Refusal } from '../refusal.ts'

// What is wrong with the order of operations.

export const LATE_DEFECTS = {
  'sequence-order-of-texts': breaks(
    'late.nine-after-ten',
    'compares sequences as texts',
    comparing((sequence, mark, isSame) => String(sequence) < String(mark) || (sequence === mark && !isSame)),
    ['late'],
  ),
  'no-fence': breaks(
    'late.lower-refused',
    'does not compare sequences',
    comparing(() => false),
    ['late', 'detach', 'concurrent.two-operations', 'restart', 'repeat'],
  ),
  'late-is-retryable': breaks(
    'late.lower-refused',
    'refuses a late call with a failure to be retried',
    (parts) => {
      const { fence } = parts
      parts.fence = (request) => {
        try {
          fence(request)
        } catch {
          throw new Refusal('SEQUENCE_STALE', 'A later operation has arrived', true)
        }
      }
    },
    ['late', 'detach', 'concurrent.two-operations', 'restart', 'repeat'],
  ),
  'failed-without-operation': breaks(
    'late.same-sequence-after-failed',
    'forgets whose sequence it was when an operation fails',
    (parts, world) => {
      const { execute, isLate } = parts
      parts.execute = async (request, call) => {
        try {
          return await execute(request, call)
        } catch (error) {
          const mark = markOf(world, request)
          if (mark?.operationId === request.operation.operationId) mark.operationId = ''
          throw error
        }
      }
      parts.isLate = (sequence, operationId, mark) =>
        isLate(sequence, mark.operationId === '' ? '' : operationId, mark)
    },
  ),
  'failed-in-memory': breaks(
    'restart.late-after-failed',
    'stores the sequence together with the effect, and keeps that of a failed call in memory',
    (parts, { state }) => {
      parts.raise = ({
        installation: { bundleInstallId },
        operation: { operationId },
        executionSequence,
      }) => {
        const { isDetached = false } = state.marks[bundleInstallId] ?? {}
        state.marks[bundleInstallId] = { sequence: executionSequence, operationId, isDetached }
      }
    },
  ),
  'raises-after-work': breaks(
    'late.begun',
    'stores the sequence of a call after its work, before the effect',
    (parts) => {
      const { raise, reachBackend } = parts
      parts.raise = () => undefined
      parts.reachBackend = async (request) => {
        try {
          await reachBackend(request)
        } finally {
          parts.fence(request)
          raise(request)
        }
      }
    },
    ['late', 'concurrent'],
  ),
  'code-of-late-calls': breaks(
    'failure.error-code',
    'writes the code of a late call in lower case',
    failing((envelope, { code }) => code === 'SEQUENCE_STALE' && (envelope.errorCode = 'stale')),
  ),
  'fence-without-detach': breaks(
    'late.every-call',
    'executes a late DETACH',
    unfenced(({ operation }) => operation.operationType === 'DETACH'),
    ['detach', 'concurrent', 'repeat'],
  ),
  'fence-before-only': breaks(
    'late.every-call',
    'compares sequences in BEFORE_RESOURCES only',
    unfenced(({ stage }) => stage === 'AFTER_RESOURCES'),
    ['late.stage-of-earlier-operation', 'late.install-after-takeover'],
  ),
  'sequence-plus-one': breaks(
    'late.gap',
    'requires the next sequence',
    comparing((sequence, mark, isSame) => sequence !== mark + 1 && !(sequence === mark && isSame)),
    ['*'],
  ),
  'sequence-of-32-bits': breaks(
    'late.above-32-bits',
    'stores sequences in 32 bits',
    comparing(
      (sequence, mark, isSame) => (sequence | 0) < (mark | 0) || ((sequence | 0) === (mark | 0) && !isSame),
    ),
    ['late'],
  ),
  'sequence-as-float': breaks(
    'late.largest-refused',
    'stores sequences as floats',
    comparing((sequence, mark, isSame) => !isSame && Math.fround(sequence) < Math.fround(mark)),
    ['late.same-sequence-refused', 'late.largest', 'late.every-call'],
  ),
  'same-sequence': breaks(
    'late.same-sequence-refused',
    'accepts another operation with the same sequence',
    comparing((sequence, mark) => sequence < mark),
    ['late.same-sequence-after-failed', 'late.every-call'],
  ),
  'late-effect': breaks(
    'late.every-call',
    'refuses a late call after its effect',
    (parts) => {
      const { fence, apply } = parts
      parts.fence = (request) => {
        try {
          fence(request)
        } catch (error) {
          if (request.operation.operationType === 'CONFIGURE') apply(request)
          throw error
        }
      }
    },
    ['late', 'detach', 'concurrent', 'repeat'],
  ),
  'refuses-once': breaks(
    'late.refused-again',
    'refuses a late call only the first time',
    (parts) => {
      const { fence } = parts
      const refused = new Set<string>()
      parts.fence = (request) => {
        const key = parts.keyOf(request)
        if (refused.has(key)) return
        try {
          fence(request)
        } catch (error) {
          refused.add(key)
          throw error
        }
      }
    },
    ['repeat', 'concurrent'],
  ),
  'one-sequence-for-all': breaks(
    'late.other-installation',
    'stores one sequence for all installations',
    (parts, { state }) => {
      const { raise, fence } = parts
      let highest = 0
      parts.raise = (request) => {
        // one that other cases send is so high that nothing could follow
        if (request.executionSequence < 2_000) highest = Math.max(highest, request.executionSequence)
        raise(request)
      }
      parts.fence = (request) => {
        fence(request)
        if (
          request.executionSequence < highest &&
          state.marks[request.installation.bundleInstallId] === undefined
        )
          throw new Refusal('SEQUENCE_STALE', 'A later operation has arrived')
      }
    },
    ['*'],
  ),
  'raises-when-done': breaks(
    'late.after-failed-operation',
    'stores the sequence only when a call succeeds',
    (parts) => {
      const { raise, remember } = parts
      parts.raise = () => undefined
      parts.remember = (key, call, request) => {
        raise(request)
        remember(key, call, request)
      }
    },
    ['late', 'detach', 'concurrent'],
  ),
  'lowers-after-failure': breaks(
    'late.after-temporary-failure',
    'takes the sequence back if a call is to be retried',
    lowering((_, error) => error instanceof Refusal && error.isRetryable),
    ['late'],
  ),
  'lowers-after-failed-detach': breaks(
    'late.after-failed-detach',
    'takes the sequence back if a DETACH fails',
    lowering(({ operation }) => operation.operationType === 'DETACH'),
  ),
  'fences-once': breaks(
    'late.while-running',
    'compares the sequence only when a call begins',
    (parts) => {
      const { fence } = parts
      const begun = new WeakSet<LifecycleRequest>()
      parts.fence = (request) => {
        if (begun.has(request)) return
        fence(request)
        begun.add(request)
      }
    },
    ['detach.while-running', 'concurrent.two-operations', 'late'],
  ),
  'refuses-own-sequence': breaks(
    'late.repeat-of-current',
    'refuses the second stage of the current operation',
    refusing(
      (request, world) =>
        request.stage === 'AFTER_RESOURCES' &&
        request.operation.operationType === 'UPGRADE' &&
        markOf(world, request)?.sequence === request.executionSequence,
      'SEQUENCE_STALE',
    ),
    [
      'lifecycle.upgrade-succeeds',
      'module',
      'version.no-order',
      'repeat',
      'detach',
      'connection',
      'bytes.every-call',
      'concurrent.every-call',
      'late.every-call',
      'request.every-call',
    ],
  ),
  'malformed-raises': breaks(
    'late.malformed-does-not-raise',
    'stores the sequence of requests that it refuses',
    (parts, { state }) => {
      const { readRequest } = parts
      parts.readRequest = (json) => {
        try {
          return readRequest(json)
        } catch (error) {
          const { installation, executionSequence, operation } = (json ?? {}) as Partial<LifecycleRequest>
          const mark = state.marks[installation?.bundleInstallId ?? '']
          if (mark !== undefined && Number(executionSequence) > mark.sequence)
            Object.assign(mark, { sequence: executionSequence, operationId: operation?.operationId })
          throw error
        }
      }
    },
  ),
}
