import { sql } from 'kysely'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { startTestServer } from '#database/testing.ts'
import { createBatch, planBatch } from '#runtime/use-cases/batches/batches.ts'
import { install } from '#runtime/use-cases/installations/install.ts'
import { testRuntime } from '#runtime/testing/runtime.ts'
import { round } from './report.ts'
import type { Result } from './report.ts'

const TARGETS = 1_000
/** Each installation has as many Modules as a usual bundle. */
const MODULES = 5
const GOAL_SECONDS = 10

/** The plan of a batch of a thousand UPGRADEs, each in a separate scope, and making the batch with its token. */
export async function benchBatch(): Promise<Result> {
  const server = await startTestServer()
  process.env['TEST_DATABASE_URL'] = server.url
  const runtime = await testRuntime()
  const versions = ['1.0.0', '2.0.0'].map((version) => bundle(version))
  for (const version of versions) await runtime.publish(version)
  const targets: string[] = []
  for (let workspaceId = 0; workspaceId < TARGETS; workspaceId++) {
    const scope = { environmentKey: 'bench', applicationRuntimeId: 'bench', workspaceId }
    const body = { scope, bundle: bundle('1.0.0').bundle, targetVersion: '1.0.0' }
    const answer = await runtime.write((context) => install(context, { params: {}, query: {}, body }))
    await runtime.succeed(answer.operation.operationId)
    targets.push(answer.installation.installation.bundleInstallId)
  }
  await sql`vacuum analyze`.execute(runtime.db)

  const request = {
    action: 'UPGRADE' as const,
    title: 'All',
    targets,
    input: { targetVersion: '2.0.0' },
  }
  const seconds = async <Answer>(work: () => Promise<Answer>): Promise<[number, Answer]> => {
    const begin = performance.now()
    const answer = await work()
    return [(performance.now() - begin) / 1_000, answer]
  }
  const [planning, plan] = await seconds(() =>
    planBatch(runtime.read, { params: {}, query: {}, body: request }),
  )
  const [making] = await seconds(() =>
    runtime.write((context) =>
      createBatch(context, {
        params: {},
        query: {},
        body: { ...request, concurrency: 5, planToken: plan.planToken },
      }),
    ),
  )
  const ready = plan.items.filter(({ problems }) => problems.length === 0).length
  if (ready !== TARGETS) throw new Error(`Only ${ready} of ${TARGETS} targets can be upgraded`)
  await runtime.close()
  await server.stop()
  return {
    name: 'batch',
    rows: [
      { what: `plan ${TARGETS} upgrades`, seconds: round(planning) },
      { what: `plan them again and make the batch`, seconds: round(making) },
    ],
    figure: planning,
    goal: GOAL_SECONDS,
    meaning: `Seconds to plan a batch of ${TARGETS} UPGRADEs of bundles with ${MODULES} Modules.`,
  }
}

function bundle(version: string): AuthorManifest {
  const modules = Array.from({ length: MODULES }, (_, index) => `module-${index}`)
  return {
    bundle: { environmentKey: 'bench', bundleId: 'fleet' },
    version,
    title: 'Fleet',
    resources: modules.map((name) => ({
      kind: 'MODULE',
      name,
      title: name,
      moduleId: name,
      properties: Object.fromEntries(
        Array.from({ length: 5 }, (_, property) => [
          `property${property}`,
          { kind: 'DATA', schema: { type: 'string', maxLength: 200 }, default: `default of ${version}` },
        ]),
      ),
    })),
    plugins: [
      {
        pluginId: 'tenants',
        order: 10,
        failurePolicy: 'FAIL_FAST',
        configuration: { schemaVersion: '1', values: {} },
        resources: modules.map((moduleId) => ({
          object: { type: 'MODULE', moduleId },
          readProperties: ['property0'],
          writeProperties: [],
          credentialProperties: [],
        })),
      },
    ],
  }
}
