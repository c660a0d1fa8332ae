import type { Scope } from '#contract/protocol/scope.ts'
import type { Changes } from '#contract/runtime-api/common.ts'
import type { Apply } from '#contract/runtime-api/managers.ts'
import type { Configuration, Plan } from '#contract/runtime-api/configuration.ts'
import { billing, crm, installBoth, SCOPE } from './bundles.ts'
import { testRuntime } from './runtime.ts'
import type { TestRuntime } from './runtime.ts'
import type { FullResources } from '../engine/changes/full-changes.ts'
import { planSave } from '../use-cases/configuration/plan-save.ts'
import { readConfiguration } from '../use-cases/configuration/read.ts'
import { saveConfiguration, saveFullConfiguration } from '../use-cases/configuration/save.ts'

type Saved = Awaited<ReturnType<typeof saveConfiguration>>

/** A runtime with helpers for saving scopes. */
export interface SavingHarness {
  runtime: TestRuntime
  /** Returns a new scope in which both bundles are ACTIVE. */
  newScope(): Promise<{ scope: Scope; snapshotVersion: number; crm: string; billing: string }>
  read(scope: Scope): Promise<Configuration>
  save(scope: Scope, snapshotVersion: number, changes: Changes, apply?: Apply): Promise<Saved>
  saveFull(scope: Scope, snapshotVersion: number, resources: FullResources, apply?: Apply): Promise<Saved>
  plan(scope: Scope, snapshotVersion: number, changes: Changes, apply?: Apply): Promise<Plan>
  /** Counts the operations and audit entries of a scope. */
  rowCounts(scope: Scope): Promise<{ operations: number; audit: number }>
}

export async function startSavingHarness(): Promise<SavingHarness> {
  const runtime = await testRuntime()
  await runtime.publish(crm)
  await runtime.publish(billing)
  let workspaces = 100
  const read = (scope: Scope) =>
    readConfiguration(runtime.read, { params: scope, query: {}, body: undefined })
  const count = async (table: 'runtime.operation' | 'runtime.audit_entry', scope: Scope) => {
    const rows = await runtime.db
      .selectFrom(table)
      .selectAll()
      .where('workspace_id', '=', scope.workspaceId)
      .execute()
    return rows.length
  }
  return {
    runtime,
    read,
    newScope: async () => {
      const scope = { ...SCOPE, workspaceId: workspaces++ }
      const installed = await installBoth(runtime, scope)
      return { scope, snapshotVersion: (await read(scope)).snapshotVersion, ...installed }
    },
    save: (scope, snapshotVersion, changes, apply) =>
      runtime.write((context) =>
        saveConfiguration(context, { params: scope, query: {}, body: { snapshotVersion, changes, apply } }),
      ),
    saveFull: (scope, snapshotVersion, resources, apply) =>
      runtime.write((context) =>
        saveFullConfiguration(context, {
          params: scope,
          query: {},
          body: { snapshotVersion, resources, apply },
        }),
      ),
    plan: (scope, snapshotVersion, changes, apply) =>
      planSave(runtime.read, { params: scope, query: {}, body: { snapshotVersion, changes, apply } }),
    rowCounts: async (scope) => ({
      operations: await count('runtime.operation', scope),
      audit: await count('runtime.audit_entry', scope),
    }),
  }
}
