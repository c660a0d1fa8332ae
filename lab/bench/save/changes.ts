import { sql } from 'kysely'
import type { Actor } from '#runtime/model/actor.ts'
import { PERMISSIONS } from '#contract/endpoint/permission.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { advanceChangeRequest } from '#runtime/change-requests/run-change-requests.ts'
import { readGate } from '#runtime/store/freezes.ts'
import { actorWith } from '#runtime/testing/runtime.ts'
import type { TestRuntime } from '#runtime/testing/runtime.ts'
import { countWaitingChangeRequests, listChangeRequests } from '#runtime/use-cases/change-requests/read.ts'
import { createChangeRequest } from '#runtime/use-cases/change-requests/write.ts'
import { saveConfiguration } from '#runtime/use-cases/configuration/save.ts'
import { install } from '#runtime/use-cases/installations/install.ts'
import { uuid } from '../lists/fill.ts'
import { median, percentile, round } from '../report.ts'
import type { Result } from '../report.ts'

const REQUESTS = 100_000
const SAMPLES = 60
const CHANGES = 200
const MERGES = 30

/**
 * The lists of many change requests and how many wait for a person; the merge of a large one with what was saved since; and
 * the part of a save that reads the policy.
 */
export async function measureChanges(runtime: TestRuntime): Promise<Result[]> {
  await runtime.publish(bundle)
  const { operation } = await runtime.write((context) =>
    install(context, {
      params: {},
      query: {},
      body: { scope, bundle: bundle.bundle, targetVersion: bundle.version },
    }),
  )
  await runtime.succeed(operation.operationId)
  const { merges, saves, gates } = await measureSaves(runtime)
  await fill(runtime)
  const lists = await measureLists(runtime)
  const share = (median(gates.withPolicy) - median(gates.without)) / median(saves)
  return [
    {
      name: 'changes',
      rows: lists.map(({ name, times, items }) => ({
        what: name,
        'median ms': round(median(times)),
        'p95 ms': round(percentile(times, 95)),
        items,
      })),
      figure: Math.max(...lists.map(({ times }) => percentile(times, 95))),
      goal: 50,
      meaning: `The slowest p95 in ms of a page of ${REQUESTS} change requests, or of how many wait for a person.`,
    },
    {
      name: 'changes, a merge',
      rows: [],
      figure: median(merges),
      goal: 100,
      meaning: `Median time in ms in which a request of ${CHANGES} changes is merged with what was saved since.`,
    },
    {
      name: 'changes, a save without a policy',
      rows: [],
      figure: 100 * Math.max(0, share),
      goal: 1,
      meaning: `Per cent of a save (median ${round(median(saves))} ms) that reading the policy of its environment takes, beside the freezes.`,
    },
  ]
}

const scope = { environmentKey: 'bench', applicationRuntimeId: 'changes', workspaceId: 1 }
const bundle: AuthorManifest = {
  bundle: { environmentKey: 'bench', bundleId: 'wide' },
  version: '1.0.0',
  title: 'Wide',
  resources: [
    {
      kind: 'MODULE',
      name: 'main',
      title: 'Main',
      moduleId: 'main',
      properties: Object.fromEntries(
        Array.from({ length: CHANGES + 1 }, (_, index) => [
          `property${index}`,
          { kind: 'DATA', schema: { type: 'string', maxLength: 200 }, default: 'unchanged' },
        ]),
      ),
    },
  ],
  plugins: [],
}
const LOCATOR = 'bench/wide/MODULE/main'
const query = {}

async function measureSaves(runtime: TestRuntime) {
  const { db } = runtime
  const merges: number[] = []
  const saves: number[] = []
  const gates = { withPolicy: [] as number[], without: [] as number[] }
  const snapshot = async (): Promise<number> => {
    const row = await db
      .selectFrom('runtime.scope')
      .select('snapshot_version')
      .where('application_runtime_id', '=', scope.applicationRuntimeId)
      .executeTakeFirstOrThrow()
    return row.snapshot_version
  }
  const changes = Object.fromEntries(
    Array.from({ length: CHANGES }, (_, index) => [`property${index}`, wrapData(`value ${index}`)]),
  )
  const input = { snapshotVersion: await snapshot(), changes: { [LOCATOR]: changes } }
  const { changeRequest } = await runtime.write((context) =>
    createChangeRequest(context, {
      params: {},
      query,
      body: { kind: 'CONFIGURE', title: 'Many values', scope, submit: true, input },
    }),
  )
  for (let index = 0; index < MERGES; index++) {
    const body = {
      snapshotVersion: await snapshot(),
      changes: { [LOCATOR]: { [`property${CHANGES}`]: wrapData(`value ${index}`) } },
    }
    const { ms, result } = await timed(() =>
      runtime.write((context) => saveConfiguration(context, { params: scope, query, body })),
    )
    saves.push(ms)
    for (const { operationId } of result.operations) await runtime.succeed(operationId)
    merges.push((await timed(() => advanceChangeRequest(runtime.deps, changeRequest.changeRequestId))).ms)
    // interleaved, so that other load on the machine affects both equally
    for (let repeat = 0; repeat < 20; repeat++) {
      gates.withPolicy.push((await timed(() => readGate(db, scope.environmentKey))).ms)
      gates.without.push((await timed(() => freezesOnly(runtime))).ms)
    }
  }
  return { merges: merges.slice(3), saves: saves.slice(3), gates }
}

/** What `readGate` reads, without the policy. */
const freezesOnly = ({ db }: TestRuntime) =>
  sql`select moment.now, standing.name, standing.settings
    from (select clock_timestamp() as now) as moment
    left join runtime.change_freeze as standing
      on ${scope.environmentKey} = any (standing.environment_keys)
        and (standing.ends_at is null or standing.ends_at > moment.now)
    order by standing.name`.execute(db)

async function timed<Value>(work: () => Promise<Value>): Promise<{ ms: number; result: Value }> {
  const started = performance.now()
  const result = await work()
  return { ms: performance.now() - started, result }
}

/** Requests of half a year in 500 scopes of 5 environments, by 200 people; one in a hundred is open. */
async function fill({ db }: TestRuntime): Promise<void> {
  await db.connection().execute(async (connection) => {
    // without notifications
    await sql`set session_replication_role = replica`.execute(connection)
    await sql`
      insert into runtime.change_request (change_request_id, kind, title, state, content, shown_input, environment_key,
        application_runtime_id, workspace_id, base_snapshot, effect, approvals_needed, created_by_id, created_by_name, author_ids,
        actor, created_at, updated_at, ended_at)
      select id, 'CONFIGURE', 'Change ' || n, state, case when state = 'OPEN' then '\\x00'::bytea end, '{}',
        (array['production','production','staging','test','pilot'])[(n % 5 + 1)::int], 'shop', n % 500, 1, 'effect', 1,
        'person-' || n % 200, 'Person ' || n % 200, array['person-' || n % 200], '{}', at, at,
        case when state <> 'OPEN' then at end
      from (
        select n, ${uuid(sql`now() - n * interval '150 seconds'`, sql`n`)} as id, now() - n * interval '150 seconds' as at,
          case when n % 100 = 7 then 'OPEN' when n % 9 = 4 then 'WITHDRAWN' else 'APPLIED' end as state
        from generate_series(1, ${sql.lit(REQUESTS)}) n) as made`.execute(connection)
    await sql`
      insert into runtime.change_request_scope
      select change_request_id, environment_key, application_runtime_id, workspace_id from runtime.change_request
      on conflict do nothing`.execute(connection)
    await sql`
      insert into runtime.change_approval (change_request_id, approver_id, approver_name, revision, effect, shown)
      select change_request_id, 'person-7', 'Person 7', 1, 'effect', '{}' from runtime.change_request
      where state = 'APPLIED' or workspace_id % 3 = 0`.execute(connection)
    await sql`vacuum analyze`.execute(connection)
  })
}

async function measureLists(runtime: TestRuntime) {
  const everything = runtime.read.actor
  const permissions = [...PERMISSIONS]
  const placed = (places: Actor['grants'][number]['scope'][]) =>
    actorWith(
      places.map((place) => ({ permissions, scope: place })),
      'Person-7',
    )
  const inScopes = placed(
    [11, 112, 213, 314, 415].map((workspaceId) => ({
      environmentKey: 'production',
      applicationRuntimeId: 'shop',
      workspaceId: workspaceId - (workspaceId % 5),
    })),
  )
  const nowhere = placed([{ environmentKey: 'elsewhere', applicationRuntimeId: 'shop', workspaceId: 1 }])
  const list = (actor: Actor, more: object) => async () =>
    (
      await listChangeRequests(
        { deps: runtime.deps, actor },
        { params: {}, query: { limit: 50, ...more }, body: undefined },
      )
    ).items.length
  const waiting = (actor: Actor) => async () =>
    (await countWaitingChangeRequests({ deps: runtime.deps, actor })).count
  const cases: [string, () => Promise<number>][] = [
    ['newest', list(everything, {})],
    ['applied', list(everything, { state: ['APPLIED'] })],
    ['of a kind that none has', list(everything, { kind: ['DETACH'] })],
    ['of an environment', list(everything, { environmentKey: 'pilot' })],
    ['of a scope', list(everything, { ...inScopes.grants[0]?.scope })],
    ['of an author', list(everything, { author: 'person-3' })],
    ['waiting for somebody', list(everything, { waiting: 'me' })],
    ['how many wait', waiting(everything)],
    ['newest, five scopes', list(inScopes, {})],
    ['waiting, five scopes', list(inScopes, { waiting: 'me' })],
    ['how many wait, five scopes', waiting(inScopes)],
    ['newest, a scope without any', list(nowhere, {})],
    ['how many wait, a scope without any', waiting(nowhere)],
  ]
  const measured = cases.map(([name, run]) => ({ name, run, times: [] as number[], items: 0 }))
  for (let index = -3; index < SAMPLES; index++)
    for (const one of measured) {
      const { ms, result } = await timed(one.run)
      one.items = result
      if (index >= 0) one.times.push(ms)
    }
  return measured
}
