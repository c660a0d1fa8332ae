import { suite, test } from './mutant.ts'
import type { Mutant } from './mutant.ts'

/** Faults of what a person requests: saves, approvals, their transaction, audit and events. */
export const CHANGES: readonly Mutant[] = [
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
    from: 'run: (context) => dataOf(call, { ...context, spendMore, hasRead: hasReadFor(c) }, request),',
    to: `run: async (context) => {
      const data = await dataOf(call, { ...context, spendMore, hasRead: hasReadFor(c) }, request)
      c.req.raw.signal.throwIfAborted()
      return data
    },`,
    killers: [test('runtime/http/client-leaves.test.ts')],
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
    name: 'scope-locked-against-references',
    breaks: 'locks a scope so that foreign keys wait for it',
    file: 'runtime/store/configuration/scopes.ts',
    from: '    for no key update ${skipLocked',
    to: '    for update ${skipLocked',
    killers: [test('runtime/worker/waits-for-nobody.test.ts', 'that holds the scope')],
  },
  {
    name: 'approval-of-another-effect-counts',
    breaks: 'counts approvals of a change request whose effect has changed since',
    file: 'runtime/use-cases/change-requests/steps.ts',
    from: 'approval.effect === effect &&',
    to: 'effect !== null &&',
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
    from: '  if (due.end) {',
    to: "  if (due.end && row.state !== 'SCHEDULED') {",
    killers: [suite('changes', 60)],
  },
]
