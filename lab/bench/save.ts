import { sql } from 'kysely'
import { wrapData } from '#contract/protocol/data.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { startTestServer } from '#database/testing.ts'
import { planSave } from '#runtime/use-cases/configuration/plan-save.ts'
import { saveConfiguration } from '#runtime/use-cases/configuration/save.ts'
import { install } from '#runtime/use-cases/installations/install.ts'
import { testRuntime } from '#runtime/testing/runtime.ts'
import type { TestRuntime } from '#runtime/testing/runtime.ts'
import { median, round, selectParts } from './report.ts'
import type { Result } from './report.ts'
import { measureChanges } from './save/changes.ts'

const SMALL = 10
const LARGE = 1_000
/** Modules per bundle: a larger scope has more bundles, as in practice. */
const MODULES = 5
const SAMPLES = 120

const PARTS: Record<string, (runtime: TestRuntime) => Promise<Result[]>> = {
  modules: measureModules,
  changes: measureChanges,
}

/** What a save costs in a large scope, and what change requests cost it and the people who review them. */
export async function benchSave(only: string): Promise<Result[]> {
  const parts = selectParts(PARTS, only)
  const server = await startTestServer()
  process.env['TEST_DATABASE_URL'] = server.url
  const runtime = await testRuntime()
  const results: Result[] = []
  for (const measure of parts) results.push(...(await measure(runtime)))
  await runtime.close()
  await server.stop()
  return results
}

/** A save of one property, and its plan, in a scope of a thousand Modules compared with one of ten. */
async function measureModules(runtime: TestRuntime): Promise<Result[]> {
  for (let index = 0; index < LARGE / MODULES; index++) await runtime.publish(bundle(index))
  const scopes = [SMALL, LARGE].map((modules) => ({ modules, workspaceId: modules }))
  for (const { modules, workspaceId } of scopes) await installAll(runtime, modules, workspaceId)
  await sql`vacuum analyze`.execute(runtime.db)

  const times = new Map(
    scopes.map(({ modules }) => [modules, { save: [] as number[], plan: [] as number[] }]),
  )
  for (let index = 0; index < SAMPLES; index++) {
    // interleaved, so that other load on the machine affects both equally
    for (const { modules, workspaceId } of scopes) {
      const { save, plan } = await saveOnce(runtime, workspaceId, `value ${index}`)
      if (index < 10) continue
      times.get(modules)?.save.push(save)
      times.get(modules)?.plan.push(plan)
    }
  }
  const of = (modules: number, what: 'save' | 'plan'): number => median(times.get(modules)?.[what] ?? [])
  return (['save', 'plan'] as const).map((what) => ({
    name: what === 'save' ? 'save' : 'save, its plan',
    rows: [SMALL, LARGE].map((modules) => ({
      'Modules in the scope': modules,
      'median ms': round(of(modules, what)),
    })),
    figure: of(LARGE, what) / of(SMALL, what),
    goal: 2,
    meaning: `Median time of a ${what} of one property with ${LARGE} Modules in the scope, divided by that with ${SMALL}.`,
  }))
}

function bundle(index: number): AuthorManifest {
  return {
    bundle: { environmentKey: 'bench', bundleId: `bundle-${index}` },
    version: '1.0.0',
    title: `Bundle ${index}`,
    resources: Array.from({ length: MODULES }, (_, module) => ({
      kind: 'MODULE',
      name: `module-${module}`,
      title: `Module ${module}`,
      moduleId: `module-${module}`,
      properties: Object.fromEntries(
        Array.from({ length: 5 }, (_, property) => [
          `property${property}`,
          { kind: 'DATA', schema: { type: 'string', maxLength: 200 }, default: 'unchanged' },
        ]),
      ),
    })),
    plugins: [],
  }
}

const scopeOf = (workspaceId: number) => ({
  environmentKey: 'bench',
  applicationRuntimeId: 'bench',
  workspaceId,
})

async function installAll(runtime: TestRuntime, modules: number, workspaceId: number): Promise<void> {
  for (let index = 0; index < modules / MODULES; index++) {
    const { bundle: ref, version: targetVersion } = bundle(index)
    const body = { scope: scopeOf(workspaceId), bundle: ref, targetVersion }
    const { operation } = await runtime.write((context) => install(context, { params: {}, query: {}, body }))
    await runtime.succeed(operation.operationId)
  }
}

async function saveOnce(
  runtime: TestRuntime,
  workspaceId: number,
  value: string,
): Promise<{ save: number; plan: number }> {
  const params = scopeOf(workspaceId)
  const { snapshot_version: snapshotVersion } = await runtime.db
    .selectFrom('runtime.scope')
    .select('snapshot_version')
    .where('workspace_id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  const changes = { 'bench/bundle-1/MODULE/module-2': { property3: wrapData(value) } }
  const input = { params, query: {}, body: { snapshotVersion, changes } }
  const planning = performance.now()
  await planSave(runtime.read, input)
  const saving = performance.now()
  const { operations } = await runtime.write((context) => saveConfiguration(context, input))
  const saved = performance.now()
  for (const { operationId } of operations) await runtime.succeed(operationId)
  return { save: saved - saving, plan: saving - planning }
}
