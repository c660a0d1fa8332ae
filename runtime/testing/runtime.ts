import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { RuntimeErrorCode } from '#contract/protocol/error-codes.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { openDatabase } from '#database/pool.ts'
import type { ConnectionSettings } from '#database/settings.ts'
import { testDatabase } from '#database/testing.ts'
import { inTransaction } from '#database/transaction.ts'
import { systemClock } from '#http-kit/clock.ts'
import { createLog } from '#http-kit/log.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { systemRandom } from '#http-kit/random.ts'
import type { Actor } from '../model/actor.ts'
import type { ReadContext, WriteContext } from '../use-cases/context.ts'
import { ledgerChange } from '../engine/steps/decide.ts'
import type { FrozenPlan, Writes } from '../model/plan.ts'
import { persistWideDecisions } from '../worker/persist-decisions.ts'
import { DomainError } from '../engine/refusals.ts'
import { mapWrites } from '../sealing/places.ts'
import { sealingWith } from '../sealing/sealed-value.ts'
import { testVault } from './vault.ts'
import { readCalls, callOf } from '../store/operations/calls.ts'
import { readPlan } from '../store/operations/plans.ts'
import type { RuntimeTables } from '../model/tables.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { WriteComparisons } from '../use-cases/comparisons/comparing.ts'
import type { Signer } from '../deps/signer.ts'
import type { Db } from '../model/db.ts'

/** The use cases of the runtime on a separate database, for a test file. */
export interface TestRuntime {
  deps: RuntimeDeps
  db: Db
  /** The connection settings of the database, for a pool with other options. */
  connection: ConnectionSettings
  /** A person with all permissions everywhere. */
  actor: Actor
  read: ReadContext
  /** Runs a write use case in its transaction, as the HTTP layer does. */
  write<Result>(useCase: (context: WriteContext) => Promise<Result>, actor?: Actor): Promise<Result>
  publish(manifest: AuthorManifest): Promise<void>
  /** Lets an operation succeed as if its plugins had answered; `writes` are those of the last one. */
  succeed(operationId: string, writes?: Writes): Promise<void>
  /** Lets an operation fail definitely; it keeps its claim. */
  fail(operationId: string): Promise<void>
  /** Returns the frozen plan of an operation. */
  plan(operationId: string): Promise<FrozenPlan>
  close(): Promise<void>
}

/**
 * For `assert.rejects`: a refusal with this code and, if `properties` is given, details of exactly these properties.
 */
export function refused(code: RuntimeErrorCode, properties?: readonly string[]) {
  return (error: unknown): true => {
    assert.ok(error instanceof DomainError, String(error))
    assert.equal(error.code, code)
    if (properties !== undefined)
      assert.deepEqual(
        error.details.map(({ property }) => property),
        properties,
      )
    return true
  }
}

export function actorWith(grants: Actor['grants'], name = 'Ada'): Actor {
  return {
    id: name.toLowerCase(),
    name,
    grants,
    requestId: `request-of-${name.toLowerCase()}`,
    signedInRecently: true,
  }
}

export async function testRuntime(): Promise<TestRuntime> {
  const migrations = [{ schema: 'runtime', folder: new URL('../store/migrations/', import.meta.url) }]
  const database = await testDatabase({ migrations })
  const opened = openDatabase<RuntimeTables>(database.connection)
  const { db } = opened
  const http = createOutbound({ egressAllow: [] })
  const log = createLog({ name: 'test', level: 'silent' })
  const signer: Signer = {
    issuer: 'http://platform.test',
    sign: (claims, audience) => Promise.resolve(`signed ${JSON.stringify({ ...claims, aud: audience })}`),
    // its tokens are not JWTs
    isPlatformPayload: () => false,
  }
  const deps: RuntimeDeps = {
    db,
    http,
    clock: systemClock,
    random: systemRandom,
    log,
    signer,
    vault: await testVault(db),
  }
  const actor = actorWith([{ permissions: [...PERMISSIONS], scope: null }])
  return {
    deps,
    db,
    connection: database.connection,
    actor,
    read: { deps, actor },
    write: (useCase, who = actor) =>
      inTransaction(db, async (tx) => {
        const comparisons = new WriteComparisons(deps.vault, who)
        const result = await useCase({ deps, actor: who, tx, comparing: comparisons.begin(tx) })
        await comparisons.written(tx)
        return result
      }),
    publish: (manifest) => publish(db, manifest),
    succeed: (operationId, writes) => succeed(deps, operationId, writes),
    fail: (operationId) => fail(db, operationId),
    plan: (operationId) => readPlan(db, deps.vault, operationId),
    close: async () => {
      await http.close()
      await opened.close()
      await database.close()
    },
  }
}

async function publish(db: Db, manifest: AuthorManifest): Promise<void> {
  await db
    .insertInto('runtime.bundle_version')
    .values({
      bundle_environment_key: manifest.bundle.environmentKey,
      bundle_id: manifest.bundle.bundleId,
      version: manifest.version,
      title: manifest.title,
      description: null,
      manifest: JSON.stringify(manifest),
      published_by_id: 'ada',
      published_by_name: 'Ada',
    })
    .execute()
}

function succeed({ db, vault }: RuntimeDeps, operationId: string, writes: Writes = {}): Promise<void> {
  return inTransaction(db, async (tx) => {
    const lease = { operationId, owner: 'test', epoch: 1 }
    const operation = await tx
      .updateTable('runtime.operation')
      .set({
        // also retries an operation that has failed
        state: 'RUNNING',
        lease_owner: lease.owner,
        lease_epoch: lease.epoch,
        available_at: sql<string>`clock_timestamp() + interval '1 hour'`,
      })
      .where('operation_id', '=', operationId)
      .returningAll()
      .executeTakeFirstOrThrow()
    const plan = await readPlan(tx, vault, operationId)
    await tx
      .updateTable('runtime.plugin_call')
      .set({ ended_well: true, outcome: 'APPLIED' })
      .where('operation_id', '=', operationId)
      .execute()
    const last = plan.plugins.at(-1)
    if (last !== undefined) {
      const key = { operationId, stage: 'AFTER_RESOURCES', pluginId: last.pluginId } as const
      await tx
        .updateTable('runtime.plugin_call')
        .set({ writes: JSON.stringify(mapWrites(key, writes, sealingWith(vault))) })
        .where('operation_id', '=', operationId)
        .where('stage', '=', key.stage)
        .where('plugin_id', '=', key.pluginId)
        .execute()
    }
    const calls = (await readCalls(tx, vault, operationId)).map(callOf)
    const decision = { operation, plan, calls, failedCalls: [], attempts: [], dueInMs: null }
    const ledger = ledgerChange({ operation, plan, calls: [] })
    await persistWideDecisions(tx, vault, [
      {
        lease,
        answers: [],
        decision: { ...decision, ledger, move: { kind: 'succeed' } },
        nextPlugin: operation.next_plugin,
      },
    ])
  })
}

async function fail(db: Db, operationId: string): Promise<void> {
  const failure = { errorCode: 'PLUGIN_REPORTED_FAILURE', message: 'The plugin failed.', retryable: false }
  await db
    .updateTable('runtime.operation')
    .set({ state: 'FAILED', failure: JSON.stringify(failure) })
    .where('operation_id', '=', operationId)
    .execute()
}
