import { suite, test } from './mutant.ts'
import type { Mutant } from './mutant.ts'

/** Every planted fault, numbered from 1. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'stale-save-accepted',
    breaks: 'accepts a save whatever snapshot it was based on',
    file: 'runtime/engine/changes/evaluate-save.ts',
    from: 'stale: input.snapshotVersion !== known.snapshotVersion,',
    to: 'stale: false,',
    killers: [test('runtime/use-cases/configuration/save.test.ts'), suite('model', 60)],
  },
  {
    name: 'save-in-two-transactions',
    breaks: 'commits the snapshot before it freezes the operations',
    file: 'runtime/use-cases/configuration/save.ts',
    from: 'const snapshotVersion = await writeSnapshot(context, scope, evaluation, { reason, apply: given.apply })',
    to: `const snapshotVersion = await writeSnapshot(context, scope, evaluation, { reason, apply: given.apply })
  const kysely = await import('kysely')
  await kysely.sql\`commit\`.execute(tx)
  await kysely.sql\`begin\`.execute(tx)
  await kysely.sql\`savepoint use_case\`.execute(tx)`,
    killers: [
      test('runtime/use-cases/configuration/save-commit.test.ts'),
      suite('crash-points'),
      suite('simulation', 400),
    ],
  },
  {
    name: 'acknowledged-before-commit',
    breaks: 'answers before the transaction is committed',
    file: 'database/transaction.ts',
    from: 'return await transaction.execute(fn)',
    to: `return await new Promise<Result>((done, fail) => {
        transaction
          .execute(async (open) => {
            const result = await fn(open)
            done(result)
            return result
          })
          .catch(fail)
      })`,
    killers: [test('database/transaction.test.ts'), suite('crash-points'), suite('simulation', 100)],
  },
  {
    name: 'sequence-raised-by-retry',
    breaks: 'gives an operation another executionSequence when it is retried',
    file: 'runtime/store/operations/runs.ts',
    from: "set state = 'RUNNING', run = run + 1,",
    to: "set state = 'RUNNING', run = run + 1, execution_sequence = execution_sequence + 1,",
    killers: [
      test('runtime/worker/worker-again.test.ts', 'a retry continues from the failed call'),
      suite('simulation', 100),
      suite('model', 60),
    ],
  },
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
    name: 'audit-outside-the-transaction',
    breaks: 'writes the audit entry of a save in a separate transaction',
    file: 'runtime/use-cases/configuration/save.ts',
    from: '  await recordAudit(tx, actor, {',
    to: '  await recordAudit(deps.db as never, actor, {',
    killers: [
      test('runtime/use-cases/configuration/save-commit.test.ts'),
      suite('crash-points'),
      suite('simulation', 400),
    ],
  },
  {
    name: 'events-out-of-order',
    breaks: 'sends events of transactions that are newer than running ones',
    file: 'runtime/store/events.ts',
    from: 'and event_xid < pg_snapshot_xmin(pg_current_snapshot())',
    to: '',
    killers: [
      test('runtime/events/stream.test.ts', 'waits for a transaction that began earlier'),
      suite('restarts'),
    ],
  },
  {
    name: 'event-before-commit',
    breaks: 'emits the events of a save before it is committed',
    file: 'runtime/use-cases/configuration/save.ts',
    from: '  await emitEvents(tx, [',
    to: '  await emitEvents(context.deps.db as never, [',
    killers: [test('runtime/use-cases/configuration/save-commit.test.ts'), suite('crash-points')],
  },
  {
    name: 'big-integers-rounded',
    breaks: 'reads an int8 beyond the range of a JSON number as a different number',
    file: 'database/values.ts',
    from: 'if (!Number.isSafeInteger(number))',
    to: 'if (Number.isNaN(number))',
    killers: [test('database/values.test.ts')],
  },
  {
    name: 'undone-when-the-client-leaves',
    breaks: 'rolls back a write whose client has closed its connection',
    file: 'runtime/http/serve-row.ts',
    from: 'run: (context) => dataOf(call, context, request),',
    to: `run: async (context) => {
      const data = await dataOf(call, context, request)
      c.req.raw.signal.throwIfAborted()
      return data
    },`,
    killers: [test('runtime/http/client-leaves.test.ts')],
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
    name: 'detach-without-a-new-sequence',
    breaks: 'starts a DETACH with the executionSequence of the previous operation',
    file: 'runtime/store/operations/operations.ts',
    from: 'set last_execution_sequence = last_execution_sequence + 1,',
    to: "set last_execution_sequence = last_execution_sequence + case ${operation.operationType}::text when 'DETACH' then 0 else 1 end,",
    killers: [
      test('runtime/use-cases/installations/detach.test.ts'),
      suite('model', 60),
      suite('simulation', 100),
    ],
  },
  {
    name: 'late-answer-counts',
    breaks: 'accepts an answer that came after its worker had lost the operation',
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
    breaks: 'overwrites a recorded answer with the same one, marked late',
    file: 'runtime/store/operations/attempts.ts',
    from: 'and attempt = ${key.attempt} and finished_at is null`.execute(db)',
    to: 'and attempt = ${key.attempt}`.execute(db)',
    killers: [
      test('runtime/worker/worker-failures.test.ts', 'the first recorded answer'),
      suite('simulation', 300),
      suite('crash-points'),
    ],
  },
  {
    name: 'database-error-swallowed',
    breaks: 'answers with a success although the database has refused the write',
    file: 'runtime/use-cases/idempotency/answer-once.ts',
    from: '  return inTransaction(db, async (tx) => {',
    to: `  const lenient = (...asked: Parameters<typeof inTransaction>) =>
    inTransaction(...asked).catch(() => ({
      answer: { contractVersion: '1.0.0', errorCode: '0', data: {} },
      wrote: false,
    }))
  return lenient(db as never, async (tx: any) => {`,
    killers: [test('runtime/http/failed-write.test.ts'), suite('simulation', 400)],
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
    breaks: 'keeps the answers of all operations until the slowest plugin has answered',
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
  {
    name: 'scope-locked-against-references',
    breaks: 'locks a scope so that foreign keys wait for it',
    file: 'runtime/store/configuration/scopes.ts',
    from: '    for no key update ${skipLocked',
    to: '    for update ${skipLocked',
    killers: [test('runtime/worker/waits-for-nobody.test.ts', 'that holds the scope')],
  },
  {
    name: 'past-cause-quotes-a-secret',
    breaks: 'shows the shape of a past cause although a value in it is sensitive now',
    file: 'runtime/use-cases/operations/causes.ts',
    from: '|| !(await areUnmasked(db, vault, failures))) hidden.add(causeId)',
    to: ') hidden.add(causeId)',
    killers: [test('runtime/use-cases/operations/causes.test.ts', 'does not quote a value')],
  },
  {
    name: 'item-shows-what-the-batch-hides',
    breaks: 'shows a value of one target that the definition of another hides',
    file: 'runtime/use-cases/batches/read-batches.ts',
    from: 'hidden.has(keyOf(change)) ? hide(view) : maskedBy(marks, change, view)',
    to: 'hidden.has("") ? hide(view) : maskedBy(marks, change, view)',
    killers: [test('runtime/batches/batches.test.ts', 'what the definition of another hides')],
  },
  {
    name: 'calls-of-one-microsecond-lost',
    breaks: 'leaves out the calls of a plugin that began when the page ends',
    file: 'runtime/store/plugins/list-calls.ts',
    from: 'where (found.at, found.key) < (cut.at, cut.key))',
    to: 'where found.at <= cut.at)',
    killers: [test('runtime/use-cases/registry/plugin-calls.test.ts', 'in the same microsecond')],
  },
  {
    name: 'retirement-hides-an-unknown-result',
    breaks: 'says nothing of the unknown result of an operation that was taken over',
    file: 'runtime/use-cases/operations/detail.ts',
    from: '(uncertainAttempts > 0 || isUnknownBefore)',
    to: 'uncertainAttempts > 0',
    killers: [test('runtime/rules/retired-plugins.test.ts', 'the operation that was taken over')],
  },
  {
    name: 'limited-search-reads-everything',
    breaks: 'reads all operations of a scope for words that never meet there',
    file: 'runtime/store/operations/list-operations.ts',
    from: '  if (isLimited) {',
    to: '  if (isLimited && terms.length === 0) {',
    killers: [
      test('runtime/use-cases/operations/search-frequent-words.test.ts', 'of a person with one scope'),
    ],
  },
  {
    name: 'reads-without-a-limit',
    breaks: 'writes a row for each place that a plugin reads in a minute',
    file: 'runtime/use-cases/references/record-reads.ts',
    from: '    if (known.size < PLACES_MAX) known.add(place)',
    to: '    known.add(place)',
    killers: [test('runtime/use-cases/references/record-reads.test.ts')],
  },
  {
    name: 'approval-of-another-effect-counts',
    breaks: 'counts approvals of a change request whose effect has changed since',
    file: 'runtime/use-cases/change-requests/steps.ts',
    from: 'effect === plan.effect && !row.author_ids.includes(approver_id)',
    to: 'effect !== null && !row.author_ids.includes(approver_id)',
    killers: [
      test('runtime/use-cases/change-requests/change-requests.test.ts', 'loses them when its effect changes'),
    ],
  },
  {
    name: 'approved-change-passes-freeze',
    breaks: 'lets change requests pass a freeze',
    file: 'runtime/engine/gate/gate.ts',
    from: 'if (frozen === null) return []',
    to: 'if (frozen === null || request.isApproved) return []',
    killers: [suite('changes', 60)],
  },
  {
    name: 'schedule-without-an-end',
    breaks: 'applies a scheduled change request after its latest time',
    file: 'runtime/change-requests/run-change-requests.ts',
    from: '  if (turn.isOver) {',
    to: "  if (turn.isOver && row.state !== 'SCHEDULED') {",
    killers: [suite('changes', 60)],
  },
]
