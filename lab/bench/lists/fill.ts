import { sql } from 'kysely'
import type { Db } from '#runtime/model/db.ts'

/** How much data the lists have. */
export interface Amount {
  installations: number
  operations: number
  /** Of each operation; default 0. */
  attempts?: number
  /** How many of the installations have a last operation that is FAILED; default: one in a hundred. */
  failed?: number
}

export const BUNDLES = 50
const PEOPLE = 500
const PLUGINS = 20
/** A bundle is in a scope at most once, so a million installations need many scopes. */
const IN_A_SCOPE = 40
const DAYS = 90

/**
 * Fills the tables in bulk, in chronological order: some environments and people are much busier than others; most
 * operations succeeded, one in a thousand is FAILED, a few are taken over, a few in progress.
 */
export async function fill(
  db: Db,
  { installations, operations, attempts = 0, failed = installations / 100 }: Amount,
): Promise<void> {
  const rounds = Math.ceil(operations / installations)
  const scopes = Math.ceil(installations / IN_A_SCOPE)
  await db.connection().execute(async (connection) => {
    // skips foreign key checks and creates indexes at the end, like a restore
    await sql`set session_replication_role = replica`.execute(connection)
    await sql`set statement_timeout = 0`.execute(connection)
    await sql`set maintenance_work_mem = '1GB'`.execute(connection)
    await sql`set work_mem = '256MB'`.execute(connection)
    const { rows: indexes } = await sql<{ name: string; definition: string }>`
      select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
      from pg_index
      where indrelid in ('runtime.operation'::regclass, 'runtime.installation'::regclass,
          'runtime.plugin_call'::regclass, 'runtime.operation_plan'::regclass, 'runtime.attempt'::regclass,
          'runtime.operation_text'::regclass)
        and not exists (select from pg_constraint where conindid = indexrelid)`.execute(connection)
    for (const { name } of indexes) await sql`drop index ${sql.raw(name)}`.execute(connection)

    await sql`
      insert into runtime.bundle_version (bundle_environment_key, bundle_id, version, title, manifest,
        published_by_id, published_by_name)
      select 'source', 'bundle-' || n, version, 'Bundle number ' || n, '{}', 'bench', 'Bench'
      from generate_series(0, ${sql.lit(BUNDLES - 1)}) n,
        unnest(array['0.9.0','1.0.0','1.1.0','1.2.0','1.3.0','1.4.0','1.5.0','1.6.0']) version`.execute(
      connection,
    )
    await sql`
      insert into runtime.scope (environment_key, application_runtime_id, workspace_id, saved_by_id, saved_by_name)
      select case when n < 3 then 'pilot' when n % 10 < 6 then 'production' when n % 10 < 8 then 'staging' else 'test' end,
        'shop-' || n % 10, n, 'bench', 'Bench' from generate_series(0, ${sql.lit(scopes - 1)}) n`.execute(
      connection,
    )
    // the triggers are off
    await sql`
      insert into runtime.installation (bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
        bundle_environment_key, bundle_id, title, state, version, version_order, last_execution_sequence, updated_at)
      select ${uuid(sql`now() - interval '91 days'`, sql`i`)}, scope_id, environment_key, application_runtime_id, workspace_id,
        'source', 'bundle-' || (i % ${sql.lit(IN_A_SCOPE)} + i / ${sql.lit(IN_A_SCOPE)} % 11), 'Bundle number ' || (i % ${sql.lit(IN_A_SCOPE)} + i / ${sql.lit(IN_A_SCOPE)} % 11),
        case when i % 50 = 7 then 'DETACHED' when i % 1000 = 11 then 'NOT_INSTALLED' else 'ACTIVE' end,
        version, coalesce(ordered.version_order, ''), ${sql.lit(rounds)}, now() - i * interval '10 milliseconds'
      from (
        select i, case when i % 1000 = 11 then null when i % 5000 = 1 then '0.9.0' else '1.' || i % 7 || '.0' end as version
        from generate_series(0, ${sql.lit(installations - 1)}) i) as made
      join runtime.scope on workspace_id = i / ${sql.lit(IN_A_SCOPE)}
      left join (
        select version, runtime.version_order(version) as version_order
        from (select distinct version from runtime.bundle_version) as published) as ordered using (version)`.execute(
      connection,
    )
    await sql`insert into runtime.version_count
      select environment_key, bundle_environment_key, bundle_id, version, state, count(*) from runtime.installation
      where version is not null group by 1, 2, 3, 4, 5`.execute(connection)
    await sql`create temporary table numbered as
      select (row_number() over (order by updated_at desc) - 1)::bigint as i, bundle_install_id, scope_id, environment_key,
        application_runtime_id, workspace_id, bundle_environment_key, bundle_id
      from runtime.installation`.execute(connection)
    await sql`create unique index on numbered (i)`.execute(connection)
    await sql`analyze numbered`.execute(connection)
    for (let round = 0; round < rounds; round++)
      await fillRound(connection, { round, rounds, installations, attempts, failed })
    await sql`insert into runtime.operation_text
      select operation_id, created_at, runtime.words_of(operation) from runtime.operation
      where reason is not null or failure is not null`.execute(connection)
    for (const { definition } of indexes) await sql.raw(definition).execute(connection)
    await fillProperty(connection)
    await sql`
      insert into runtime.plugin (plugin_id, title, endpoint, enabled, owner_team)
      select 'plugin-' || n, 'Plugin ' || n, 'http://127.0.0.1:9/' || n, true,
        case when n % 7 = 6 then 'Courier team' end
      from generate_series(0, ${sql.lit(PLUGINS)}) n`.execute(connection)
    await sql`insert into runtime.requester select 'person-' || n, ${personName(sql`n`)}
      from generate_series(0, ${sql.lit(PEOPLE - 1)}) n`.execute(connection)
    await sql`insert into runtime.installation_count
      select environment_key, state, count(*) from runtime.installation group by 1, 2`.execute(connection)
    await sql`update runtime.operation_counted set counted_until = date_trunc('hour', now() - interval '91 days', 'UTC')`.execute(
      connection,
    )
    await sql`set session_replication_role = origin`.execute(connection)
    // the triggers store the order of versions, the paths of scopes and the causes
    await sql`update runtime.bundle_version set version = version`.execute(connection)
    await sql`update runtime.scope set environment_key = environment_key`.execute(connection)
    await sql`update runtime.operation set failure = failure where state = 'FAILED'`.execute(connection)
    await sql`select count(runtime.remember_failure(operation)) from runtime.operation where state = 'FAILED'`.execute(
      connection,
    )
    await sql`vacuum analyze`.execute(connection)
  })
}

/** One property of one bundle: in most scopes its default, in one of a thousand another value. */
async function fillProperty(db: Db): Promise<void> {
  const value = sql`case when installation.workspace_id % 1000 = 7 then '{"@type":"Data","value":2525}'
    else '{"@type":"Data","value":587}' end::jsonb`
  const manager = sql`case when installation.workspace_id % 1000 = 7 then 'person' else 'default:1.0.0' end`
  const installed = sql`from runtime.installation where bundle_id = ${PROPERTY.bundleId} and state = 'ACTIVE'`
  const locator = `source/${PROPERTY.bundleId}/MODULE/main`
  await sql`
    insert into runtime.snapshot (scope_id, snapshot_version, saved_at, saved_by_id, saved_by_name, reason, cause)
    select scope_id, 1, now() - scope_id % 400 * interval '1 day', 'bench', 'Bench', 'CHG-' || scope_id, 'SAVE'
    from runtime.scope`.execute(db)
  await sql`
    insert into runtime.installed_resource (bundle_install_id, locator, scope_id, kind, title, module_id, version,
      definitions, written_by, properties)
    select bundle_install_id, ${locator}, scope_id, 'MODULE', 'Main', 'main', version,
      '{"port":{"kind":"DATA","schema":{"type":"integer","title":"Port"},"default":587}}', '{}', '{}' ${installed}`.execute(
    db,
  )
  await sql`
    insert into runtime.configuration_property (scope_id, locator, property, bundle_install_id, value, snapshot_version, manager)
    select scope_id, ${locator}, 'port', bundle_install_id, ${value}, 1, ${manager} ${installed}`.execute(db)
  // a text of its own for each installation, and a word that all have
  await sql`
    insert into runtime.configuration_property (scope_id, locator, property, bundle_install_id, value, snapshot_version, manager)
    select scope_id, 'source/' || bundle_id || '/MODULE/main', 'customer', bundle_install_id, jsonb_build_object('@type', 'Data', 'value', jsonb_build_object(
      'name', 'Customer ' || workspace_id, 'contract', 'Hosting')), 1, 'person'
    from runtime.installation where bundle_id in (${PROPERTY.bundleId}, 'bundle-4', 'bundle-5', 'bundle-6')
      and state = 'ACTIVE'`.execute(db)
  await sql`
    insert into runtime.snapshot_change (scope_id, snapshot_version, locator, property, is_sensitive, after, manager)
    select scope_id, 1, ${locator}, 'port', false, ${value}, ${manager} ${installed}`.execute(db)
}

/** The property of `fillProperty`, as the API names it. */
export const PROPERTY = { bundleId: 'bundle-3', kind: 'MODULE', resource: 'main', property: 'port' } as const

const personName = (n: ReturnType<typeof sql>) =>
  sql`(array['Mira','Jonas','Aylin','Tom','Sofia'])[(${n} % 5 + 1)::int] || ' ' || to_hex(${n})`

/** One operation per installation: so its sequence is the round, and only the last one may hold the claim. */
async function fillRound(
  db: Db,
  {
    round,
    rounds,
    installations,
    attempts,
    failed,
  }: { round: number; rounds: number; installations: number; attempts: number; failed: number },
): Promise<void> {
  const isLast = sql.lit(round === rounds - 1)
  const every = sql.lit(Math.max(1, Math.round(installations / failed)))
  await sql`create temporary table made on commit preserve rows as
    select n, scope_id, bundle_install_id, environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, at,
      ${uuid(sql`at`, sql`n + ${sql.lit(round)}::bigint * 1000000000`)} as operation_id,
      case when ${isLast} and n % ${every} = 3 % ${every} then 'FAILED' when ${isLast} and n % 5000 = 4 then 'WAITING'
        when not ${isLast} and n % 300 = 5 then 'TAKEN_OVER' else 'SUCCEEDED' end as state,
      -- the square of a fraction: the first are the busiest
      floor(${sql.lit(PEOPLE)} * power((n * 7919 % 10007) / 10007.0, 2))::int as person,
      floor(${sql.lit(PLUGINS)} * power((n * 6007 % 9973) / 9973.0, 2))::int as plugin
    from (
      select n, numbered.*,
        now() - (${sql.lit(rounds * installations)}::bigint - (${sql.lit(round * installations)}::bigint + n))
          * (interval '${sql.raw(String(DAYS))} days' / ${sql.lit(rounds * installations)}) as at
      from generate_series(0::bigint, ${sql.lit(installations - 1)}) n
      join numbered on numbered.i = (n * 7919 + ${sql.lit(round * 104_729)}) % ${sql.lit(installations)}
    ) as placed order by n`.execute(db)
  // the scans below read it in this order
  await sql`
    insert into runtime.operation (operation_id, bundle_install_id, scope_id, environment_key, application_runtime_id,
      workspace_id, bundle_environment_key, bundle_id, operation_type, current_version, target_version, execution_sequence,
      state, phase, holds_claim, failure, requested_by_id, requested_by_name, created_at, started_at, finished_at,
      available_at, reason)
    select operation_id, bundle_install_id, scope_id, environment_key, application_runtime_id, workspace_id,
      bundle_environment_key, bundle_id, (array['CONFIGURE','CONFIGURE','UPGRADE','INSTALL','DETACH'])[(n % 5 + 1)::int],
      '1.0.0', '1.0.0', ${sql.lit(round + 1)}, state,
      case when state = 'SUCCEEDED' then 'DONE' when n % 2 = 0 then 'BEFORE_RESOURCES' else 'AFTER_RESOURCES' end,
      state in ('FAILED', 'WAITING'),
      case when state in ('FAILED', 'TAKEN_OVER') then json_build_object('errorCode',
        (array['PLUGIN_REPORTED_FAILURE','PLUGIN_RESULT_UNKNOWN','PLUGIN_RESPONSE_INVALID'])[(n / 100 % 3 + 1)::int],
        'message', 'The host mail-' || n / 100 % 977 || ' refused the log-in.', 'retryable', false) end,
      'person-' || person, ${personName(sql`person`)}, at, at, case when state <> 'WAITING' then at end,
      -- long ahead, so that no worker takes one
      at + interval '10 years',
      -- one word that all have, one that few have, and a number that only one has
      case when n % 3 = 0 then 'CHG-' || ${sql.lit(round)} || '-' || n || ' planned' || case when n % 300 = 0 then ' urgent' else '' end end
    from made`.execute(db)
  await sql`insert into runtime.operation_plan select operation_id, '{"resources":[],"plugins":[],"changes":[]}'
    from made`.execute(db)
  // one call each is enough for filters to match
  await sql`
    insert into runtime.plugin_call (operation_id, stage, plugin_id, call_order, outcome, ended_well)
    select operation_id, 'AFTER_RESOURCES',
      'plugin-' || case when n % 20000 = 9 then ${sql.lit(PLUGINS)} else plugin end, 1, 'APPLIED', state = 'SUCCEEDED'
    from made`.execute(db)
  await sql`
    insert into runtime.attempt (operation_id, stage, plugin_id, attempt, run, lease_epoch, started_at, finished_at,
      outcome, failure, http_status, response)
    select operation_id, 'AFTER_RESOURCES', 'plugin-' || plugin, attempt, 1, 1, at, at,
      case when attempt = ${sql.lit(attempts)} then 'APPLIED' end,
      case when attempt < ${sql.lit(attempts)} then json_build_object('errorCode', 'PLUGIN_RESULT_UNKNOWN', 'retryable', true) end,
      200, json_build_object('errorCode', '0', 'data', json_build_object('outcome', 'APPLIED', 'number', n, 'resources', json_build_object()))
    from made, generate_series(1, ${sql.lit(attempts)}) attempt order by n, attempt`.execute(db)
  await sql`drop table made`.execute(db)
}

/** A UUIDv7 of this time, different for each number. */
export function uuid(at: ReturnType<typeof sql>, number: ReturnType<typeof sql>) {
  return sql`(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7' || substr(md5((${number})::text), 1, 3)
    || '8' || substr(md5((${number})::text), 4, 15))::uuid`
}
