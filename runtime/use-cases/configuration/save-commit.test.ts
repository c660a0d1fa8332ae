import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { wrapData } from '#contract/protocol/data.ts'
import { inTransaction } from '#database/transaction.ts'
import { CORE } from '../../testing/bundles.ts'
import { DomainError } from '../../engine/refusals.ts'
import { detach } from '../installations/detach.ts'
import { saveConfiguration } from './save.ts'
import { startSavingHarness } from '../../testing/saves.ts'
import { countLockWaits, until } from '../../testing/stream.ts'
import type { SavingHarness } from '../../testing/saves.ts'

let deps: SavingHarness
before(async () => {
  deps = await startSavingHarness()
})
after(() => deps.runtime.close())

const seen = async () => {
  const { rows } = await sql<{ events: number; audit: number; operations: number; snapshots: number }>`
    select (select count(*) from runtime.event) as events,
      (select count(*) from runtime.audit_entry) as audit,
      (select count(*) from runtime.operation) as operations,
      (select count(*) from runtime.snapshot) as snapshots`.execute(deps.runtime.db)
  return rows[0]
}

it('leaves nothing behind if its transaction is rolled back', async () => {
  const { scope, snapshotVersion } = await deps.newScope()
  const before = await seen()
  const changes = { [CORE]: { name: wrapData('Bolt') } }
  const rolledBack = deps.runtime.write(async (context) => {
    await saveConfiguration(context, { params: scope, query: {}, body: { snapshotVersion, changes } })
    throw new Error('the connection is lost')
  })
  await assert.rejects(rolledBack, /the connection is lost/)
  assert.deepEqual(await seen(), before)
})

it('shows nothing before it is committed, and everything afterwards', async () => {
  const { scope, snapshotVersion } = await deps.newScope()
  const { db } = deps.runtime
  const before = await seen()
  assert.ok(before)

  const { saving } = await inTransaction(db, async (tx) => {
    // the audit is written last, during the commit: everything else of the save is written by then and waits here
    await sql`lock table runtime.audit_entry in exclusive mode`.execute(tx)
    const saved = deps.save(scope, snapshotVersion, { [CORE]: { name: wrapData('Bolt') } })
    await until(async () => (await countLockWaits(db)) > 0)
    assert.deepEqual(await seen(), before)
    return { saving: saved }
  })
  await saving
  assert.deepEqual(await seen(), {
    events: before.events + 3,
    audit: before.audit + 1,
    operations: before.operations + 1,
    snapshots: before.snapshots + 1,
  })
})

const refusedFor = (reason: string) => (error: unknown) =>
  error instanceof DomainError && error.code === 'NUMBERS_USED_UP' && error.parameters?.reason === reason
const setSequence = (bundleInstallId: string, last: number) =>
  sql`update runtime.installation set last_execution_sequence = ${last}
    where bundle_install_id = ${bundleInstallId}`.execute(deps.runtime.db)

it('uses the largest execution sequence, and refuses every operation after it', async () => {
  const { scope, snapshotVersion, crm } = await deps.newScope()
  const detachCrm = () =>
    deps.runtime.write((context) =>
      detach(context, { params: { bundleInstallId: crm }, query: {}, body: { reason: 'old' } }),
    )
  await setSequence(crm, Number.MAX_SAFE_INTEGER)
  const before = await seen()
  await assert.rejects(
    deps.save(scope, snapshotVersion, { [CORE]: { name: wrapData('Bolt') } }),
    refusedFor('sequenceUsedUp'),
  )
  await assert.rejects(detachCrm(), refusedFor('sequenceUsedUp'))
  assert.deepEqual(await seen(), before)

  await setSequence(crm, Number.MAX_SAFE_INTEGER - 1)
  assert.equal((await detachCrm()).operation.executionSequence, Number.MAX_SAFE_INTEGER)
})

it('refuses what would need a snapshot after the largest one', async () => {
  const { scope, crm } = await deps.newScope()
  await sql`update runtime.scope set snapshot_version = ${Number.MAX_SAFE_INTEGER}
    where workspace_id = ${scope.workspaceId}`.execute(deps.runtime.db)
  const before = await seen()
  await assert.rejects(
    deps.save(scope, Number.MAX_SAFE_INTEGER, { [CORE]: { name: wrapData('Bolt') } }),
    refusedFor('snapshotUsedUp'),
  )
  const detached = deps.runtime.write((context) =>
    detach(context, { params: { bundleInstallId: crm }, query: {}, body: { reason: 'old' } }),
  )
  await assert.rejects(detached, refusedFor('snapshotUsedUp'))
  assert.deepEqual(await seen(), before)
})
