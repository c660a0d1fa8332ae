import assert from 'node:assert/strict'
import type { KyselyPlugin } from 'kysely'
import type { OperationType } from '#contract/protocol/vocabulary.ts'
import { inTransaction } from '#database/transaction.ts'
import { parseEgressAllow } from '#http-kit/egress.ts'
import { uuidv7 } from '#http-kit/random.ts'
import { createOutbound } from '#http-kit/outbound.ts'
import { readProperties } from '../store/configuration/properties.ts'
import { makeScope } from '../store/configuration/scopes.ts'
import { insertInstallation } from '../store/installations/installations.ts'
import { readLedger } from '../store/installations/ledger.ts'
import { findOperation } from '../store/operations/operations.ts'
import { readAttempts } from '../store/operations/attempts.ts'
import { testRuntime } from './runtime.ts'
import type { TestRuntime } from './runtime.ts'
import { startWorker } from '../worker/worker.ts'
import type { Worker, WorkerOptions } from '../worker/worker.ts'
import type { RuntimeDeps } from '../deps/runtime-deps.ts'
import { freezeOperation } from '../use-cases/operations/freeze.ts'
import type { FrozenPlan } from '../model/plan.ts'
import { readOperation } from '../use-cases/operations/read.ts'
import { retryOperation } from '../use-cases/operations/runs.ts'
import { takeOverOperation } from '../use-cases/operations/take-over.ts'
import { testingPlugin } from './plugin.ts'
import type { TestingPlugin } from './plugin.ts'
import type { OperationRow } from '../model/operation.ts'
import type { InstallationColumns } from '../model/installation.ts'

export const SCOPE = { environmentKey: 'prod', applicationRuntimeId: 'shop', workspaceId: 7 }

/** A database, a test plugin and workers on them, for a test file of the engine. */
export interface TestEngine {
  runtime: TestRuntime
  /** Its `http` reaches the test plugin. */
  deps: RuntimeDeps
  plugin: TestingPlugin
  /** Registers a plugin on the test plugin, with short limits so that tests do not wait. */
  register(pluginId: string, limits?: { timeoutMs?: number; maxAttempts?: number }): Promise<void>
  installation(): Promise<InstallationColumns>
  freeze(options: FreezeOptions): Promise<OperationRow>
  work(options?: Partial<WorkerOptions>, deps?: RuntimeDeps): Worker
  /** Waits until the operation is in one of the states. */
  until(operationId: string, ...states: OperationRow['state'][]): Promise<OperationRow>
  close(): Promise<void>
}

export interface FreezeOptions {
  installation: InstallationColumns
  operationType?: OperationType
  plan: FrozenPlan
}

export async function testEngine(): Promise<TestEngine> {
  const runtime = await testRuntime()
  const plugin = await testingPlugin()
  const http = createOutbound({ egressAllow: parseEgressAllow('loopback') })
  const deps: RuntimeDeps = { ...runtime.deps, http }
  const workers: Worker[] = []
  const { db, actor } = runtime

  return {
    runtime,
    deps,
    plugin,
    async register(pluginId, { timeoutMs = 5_000, maxAttempts = 8 } = {}) {
      const registration = {
        title: pluginId,
        endpoint: plugin.endpoint(pluginId),
        enabled: true,
        timeout_ms: timeoutMs,
        max_attempts: maxAttempts,
        max_backoff_ms: 20,
      }
      await db
        .insertInto('runtime.plugin')
        .values({ plugin_id: pluginId, ...registration })
        .onConflict((conflict) => conflict.column('plugin_id').doUpdateSet(registration))
        .execute()
    },
    async installation() {
      const bundleInstallId = uuidv7(deps)
      await inTransaction(db, async (tx) => {
        const scope = await makeScope(tx, { ...SCOPE, workspaceId: workspace++ }, actor)
        await insertInstallation(tx, {
          bundleInstallId,
          scope,
          bundle: { environmentKey: 'source', bundleId: 'crm' },
          title: 'CRM',
        })
      })
      return readInstallation(runtime, bundleInstallId)
    },
    freeze({ installation, operationType = 'INSTALL', plan }) {
      return inTransaction(db, (tx) =>
        freezeOperation(tx, deps.vault, {
          operationId: uuidv7(deps),
          installation,
          operationType,
          currentVersion: operationType === 'INSTALL' ? null : '1.0.0',
          targetVersion: operationType === 'UPGRADE' ? '2.0.0' : '1.0.0',
          plan,
          actor,
          reason: null,
          admission: { problems: [], overridden: false },
        }),
      )
    },
    work(options = {}, workerDeps = deps) {
      const worker = startWorker(workerDeps, {
        owner: uuidv7(deps),
        concurrency: 8,
        leaseMs: 3_000,
        pollMs: 50,
        graceMs: 200,
        ...options,
      })
      // a worker with its own deps may be dead or paused, and would never stop
      if (workerDeps === deps) workers.push(worker)
      return worker
    },
    async until(operationId, ...states) {
      const deadline = performance.now() + 15_000
      for (;;) {
        const operation = await findOperation(db, operationId)
        if (operation !== undefined && states.includes(operation.state)) return operation
        if (performance.now() > deadline)
          throw new Error(`operation is ${operation?.state} and not ${states.join(' or ')}`)
        await deps.clock.sleep(10)
      }
    },
    async close() {
      await plugin.close()
      await Promise.all(workers.map((worker) => worker.stop()))
      await http.close()
      await runtime.close()
    },
  }
}

/** Each installation gets a new scope, so that tests in one file do not affect each other. */
let workspace = 1

export function readInstallation({ db }: TestRuntime, bundleInstallId: string): Promise<InstallationColumns> {
  return db
    .selectFrom('runtime.installation')
    .selectAll()
    .where('bundle_install_id', '=', bundleInstallId)
    .executeTakeFirstOrThrow()
}

/** Dependencies that can delay the result of a lease. */
export function slowClaims(deps: RuntimeDeps) {
  let blocked: { leased: () => void; answer: Promise<void> } | null = null
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (blocked !== null && result.rows.some((row) => 'state_before' in row)) {
        blocked.leased()
        await blocked.answer
      }
      return result
    },
  }
  return {
    deps: { ...deps, db: deps.db.withPlugin(plugin) },
    /** Starts the delay; `leased` resolves with the first lease that takes an operation. */
    hold() {
      const [leased, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      blocked = { leased: leased.resolve, answer: answer.promise }
      const release = () => {
        blocked = null
        answer.resolve()
      }
      return { leased: leased.promise, release }
    },
  }
}

/** The steps that engine tests share. */
export function engineSteps(engine: TestEngine) {
  const { db, vault } = engine.deps
  const configuration = async (scopeId: number) => {
    const properties = await readProperties(db, vault, scopeId)
    return [...properties].flatMap(([locator, values]) =>
      [...values].map(([property, value]) => ({ locator, property, value })),
    )
  }
  const ledger = (bundleInstallId: string) => readLedger(db, vault, [bundleInstallId])
  const attemptsOf = (operationId: string) => readAttempts(engine.runtime.db, operationId)
  const endsWell = async (operationId: string) => {
    const worker = engine.work()
    const operation = await engine.until(operationId, 'SUCCEEDED', 'FAILED')
    await worker.stop()
    assert.equal(operation.state, 'SUCCEEDED', JSON.stringify(operation.failure))
    return operation
  }
  const failsWith = async (operationId: string, errorCode: string) => {
    const worker = engine.work()
    const operation = await engine.until(operationId, 'SUCCEEDED', 'FAILED')
    await worker.stop()
    assert.equal(operation.failure?.errorCode, errorCode)
    return operation
  }
  const retry = (operationId: string, run: number) =>
    engine.runtime.write((context) =>
      retryOperation(context, { params: { operationId }, query: {}, body: { run } }),
    )
  const takeOver = (operationId: string, run: number) =>
    engine.runtime.write((context) =>
      takeOverOperation(context, {
        params: { operationId },
        query: {},
        body: { run, reason: 'cleaning up' },
      }),
    )
  const detailOf = (operationId: string) =>
    readOperation(engine.runtime.read, { params: { operationId }, query: {}, body: undefined })
  return { configuration, ledger, attemptsOf, endsWell, failsWith, retry, takeOver, detailOf }
}
