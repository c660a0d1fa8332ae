import { suite, test } from './mutant.ts'
import type { Mutant } from './mutant.ts'

/** Faults of the work on operations: leases, attempts, responses, and what a plugin does with its calls. */
export const CALLS: readonly Mutant[] = [
  {
    name: 'timeout-is-a-failure',
    breaks: 'judges a timeout as a definite failure',
    file: 'runtime/engine/calls/judge.ts',
    from: 'return uncertain(describeNoResponse(pluginId, result.reason, input.timeoutMs), null, null)',
    to: `return {
      ...uncertain(describeNoResponse(pluginId, result.reason, input.timeoutMs), null, null),
      disposition: result.reason === 'timeout' ? 'failed' : 'repeat',
    }`,
    killers: [test('runtime/engine/calls/judge.test.ts'), suite('faults'), suite('simulation', 100)],
  },
  {
    name: 'server-error-is-a-success',
    breaks: 'judges an HTTP status of 500 and above as a success',
    file: 'runtime/engine/calls/judge.ts',
    from: '  if (result.status !== 200) {',
    to: `  if (result.status >= 500)
    return {
      ...uncertain(unknownResult(pluginId, ''), result, recordUnusable(result)),
      disposition: 'done',
      outcome: 'APPLIED',
      failure: null,
    }
  if (result.status !== 200) {`,
    killers: [test('runtime/engine/calls/judge.test.ts'), suite('faults'), suite('simulation', 100)],
  },
  {
    name: 'sequences-compared-as-text',
    breaks: 'compares execution sequences as text, so that 9 is above 10',
    file: 'packages/plugin-sdk/src/admit.ts',
    from: 'if (executionSequence < mark.executionSequence)',
    to: 'if (String(executionSequence) < String(mark.executionSequence))',
    killers: [test('packages/plugin-sdk/src/fence.test.ts')],
  },
  {
    name: 'no-tombstone',
    breaks: 'does not record at the end of a DETACH that the installation is detached',
    file: 'packages/plugin-sdk/src/run-call.ts',
    from: 'executionSequence, isDetached: true })',
    to: 'executionSequence, isDetached: false })',
    killers: [test('packages/plugin-sdk/src/fence.test.ts')],
  },
  {
    name: 'lease-not-checked',
    breaks: 'lets a worker write that has lost its lease to another one',
    file: 'runtime/store/operations/leases.ts',
    from: `  and operation.lease_owner = lease.owner
  and operation.lease_epoch = lease.epoch
`,
    to: '',
    killers: [
      test('runtime/use-cases/operations/operations.test.ts'),
      suite('simulation', 300),
      suite('signals'),
    ],
  },
  {
    name: 'renewed-after-expiry',
    breaks: 'renews a lease that has expired already',
    file: 'runtime/store/operations/leases.ts',
    from: '${lockedOf(sql`operation_id`, { skipLocked: true })}',
    to: `select operation.operation_id
      from runtime.operation
      join lease on operation.operation_id = lease.operation_id and operation.lease_owner = lease.owner
      for update of operation skip locked`,
    killers: [
      test('runtime/use-cases/operations/operations.test.ts'),
      suite('simulation', 300),
      suite('signals'),
    ],
  },
  {
    name: 'lease-by-the-workers-clock',
    breaks: "ends a lease by the worker's clock instead of the database's",
    file: 'runtime/worker/acquire-operations.ts',
    from: '  if (leased.length === 0) return []\n',
    to: `  if (leased.length === 0) return []
  const leaseEnd = new Date(deps.clock.now().getTime() + due.leaseMs).toISOString()
  const mine = deps.db.updateTable('runtime.operation').where('lease_owner', '=', due.owner)
  await mine.set({ available_at: leaseEnd }).execute()
`,
    killers: [suite('simulation', 400)],
  },
  {
    name: 'attempt-not-recorded-before',
    breaks: 'calls a plugin without having recorded the attempt',
    file: 'runtime/store/operations/attempt-statements.ts',
    from: `      insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch, by_platform, due_at)
      select operation_id, stage, plugin_id, attempt, run, epoch, retired,
        case when not is_first then due_at when follows_answer then clock_timestamp() else coalesce(
          (select max(finished_at) from runtime.attempt as earlier
            where earlier.operation_id = called.operation_id and earlier.run = called.run and not earlier.late),
          (select coalesce(run_started_at, created_at) from runtime.operation
            where operation.operation_id = called.operation_id)) end
      from called
      returning operation_id`,
    to: '      select operation_id from called',
    killers: [
      test('runtime/worker/worker-failures.test.ts', 'a timeout is uncertain'),
      suite('simulation', 20),
    ],
  },
  {
    name: 'body-built-again',
    breaks: 'builds the request of a repeat again',
    file: 'runtime/engine/steps/prepare-call.ts',
    from: '  if (request !== null) {',
    to: '  if (request !== null && calls.length === 0) {',
    killers: [
      test('runtime/rules/plugins-and-order.test.ts', 'is not added to the bytes of a repeat'),
      suite('simulation', 300),
    ],
  },
  {
    name: 'other-operation-id-on-retry',
    breaks: 'sends the calls of a retry with another operationId',
    file: 'runtime/worker/send-call.ts',
    from: '    bytes: call.bytes,',
    to: `    bytes:
      call.run === 1
        ? call.bytes
        : Buffer.from(
            Buffer.from(call.bytes)
              .toString()
              .replaceAll(call.operationId, call.operationId.replace(/.$/, (last) => (last === 'e' ? 'f' : 'e'))),
          ),`,
    killers: [
      test('runtime/worker/worker-again.test.ts', 'a retry continues from the failed call'),
      suite('faults'),
      suite('simulation', 100),
    ],
  },
  {
    name: 'late-answer-counts',
    breaks: 'accepts a response that came after its worker had lost the operation',
    file: 'runtime/worker/run-operation.ts',
    from: '        await recordLateAnswer(deps.db, attempt, attempt)',
    to: `      const { recordAttempts } = await import('../store/operations/attempt-statements.ts')
      const { afterAttempt } = await import('../engine/steps/after-attempt.ts')
      const after = afterAttempt({ ...attempt, runAttempts: attempt.runAttempt, fraction: 0 })
      const { timing, judgement } = attempt
      await recordAttempts(deps.db as never, [{ key: attempt, timing, judgement, after, nextAttemptAt: null }])
      if (deps === undefined) await recordLateAnswer(deps, attempt, attempt)`,
    killers: [test('runtime/rules/replicas.test.ts', 'as late'), suite('faults'), suite('simulation', 300)],
  },
  {
    name: 'answer-recorded-twice',
    breaks: 'overwrites a recorded response with the same one, marked late',
    file: 'runtime/store/operations/attempts.ts',
    from: 'and attempt = ${key.attempt} and finished_at is null`.execute(db)',
    to: 'and attempt = ${key.attempt}`.execute(db)',
    killers: [
      test('runtime/worker/worker-failures.test.ts', 'the first recorded response'),
      suite('simulation', 300),
      suite('crash-points'),
    ],
  },
  {
    name: 'token-used-again',
    breaks: 'sends a repeat with the token of the first attempt',
    file: 'runtime/worker/send-call.ts',
    from: '  const token = await signLifecycleToken(deps.signer, call)',
    to: `  const kept = ((globalThis as { tokens?: Map<string, string> }).tokens ??= new Map<string, string>())
  const place = call.operationId + call.stage + call.pluginId
  const token = kept.get(place) ?? (await signLifecycleToken(deps.signer, call))
  kept.set(place, token)`,
    killers: [test('runtime/worker/token-of-each-attempt.test.ts')],
  },
  {
    name: 'batch-awaits-a-hanging-plugin',
    breaks: 'keeps the responses of all operations until the slowest plugin has answered',
    file: 'runtime/worker/advancer.ts',
    from: 'await deps.clock.sleep(GATHER_MS, ',
    to: 'await deps.clock.sleep(60_000, ',
    killers: [test('runtime/worker/advancer.test.ts', 'whose plugin does not respond')],
  },
  {
    name: 'place-left-too-early',
    breaks: 'leases an operation for each one that makes its next call',
    file: 'runtime/worker/decide-batch.ts',
    from: 'isLeaving = !ready.isInFlight && decision.attempts.length === 0',
    to: 'isLeaving = true',
    killers: [test('runtime/worker/worker-capacity.test.ts', 'and not before')],
  },
]
