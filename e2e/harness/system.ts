import { sql } from 'kysely'
import pg from 'pg'
import { freePort } from '#database/free-port.ts'
import { IDP_PATH } from '#bff/oidc/provider.ts'
import { applyConfiguredUsers } from '#bff/oidc/users.ts'
import type { Role } from '#bff/roles.ts'
import type { BffTables } from '#bff/store/tables.ts'
import { openDatabase } from '#database/pool.ts'
import { clientConfig } from '#database/settings.ts'
import type { EgressRule } from '#http-kit/egress.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import type { Scope } from '#contract/protocol/scope.ts'
import type { TypedValue } from '#contract/protocol/typed-value.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { RuntimeTables } from '#runtime/model/tables.ts'
import { untilEnded } from '#runtime/testing/rules.ts'
import { recoverDatabase } from '#runtime/use-cases/overview/recovery.ts'
import { demoBundles } from '#plugin/examples/bundles/demo-bundles.ts'
import { demoInstallValues } from '#plugin/examples/bundles/demo-values.ts'
import { platform } from '../../demo/people.ts'
import { createScript } from '../../demo/script.ts'
import type { Script } from '../../demo/script.ts'
import type { DemoCaller, DemoPerson } from '../../demo/caller.ts'
import { startForTests } from '../../start-for-tests.ts'
import { createFaultProxy } from './fault-proxy.ts'
import type { FaultProxy } from './fault-proxy.ts'
import { users } from './users.ts'
import type { UserName } from './users.ts'

/** The whole real system for one worker: database, runtime, plugins, console; none of our parts is mocked. */
export interface System {
  url: string
  /** Where plugins reach the platform. */
  runtimeUrl: string
  /** The proxy between the browsers and the console. */
  proxy: FaultProxy
  call: DemoCaller
  script: Script
  /** What the deployment allows calls to; a change applies to the next call. */
  egressAllow: EgressRule[]
  /** A scope that no other test uses. */
  newScope(): Scope
  /** Starts the install of a bundle of the demo. */
  start(
    scope: Scope,
    bundleId: string,
    version: string,
  ): Promise<{ bundleInstallId: string; operation: Operation }>
  /** Installs a bundle of the demo and waits until the operation has ended. */
  install(
    scope: Scope,
    bundleId: string,
    version: string,
  ): Promise<{ bundleInstallId: string; operation: Operation }>
  /** Saves one property through the API, while the page may be open. */
  configure(
    scope: Scope,
    resource: { bundleId: string; kind: 'MODULE' | 'GATEWAY' | 'AGENT' | 'TIMER'; name: string },
    property: string,
    value: TypedValue,
    person?: DemoPerson,
  ): Promise<Operation>
  ended(operationId: string): Promise<Operation>
  /** All operations of a type in a scope, newest first. */
  operations(scope: Scope, operationType: Operation['operationType']): Promise<Operation[]>
  /** Makes the sign-ins of all people older, as if time had passed. */
  ageSignIns(seconds: number): Promise<void>
  /** When that was last done, by the clock of `performance`; 0 if never. */
  signInsAgedAt(): number
  /** Gives a user another role, as an administrator does in `CONSOLE_USERS`: it signs them out. */
  giveRole(name: UserName, role: Role): Promise<void>
  /** Recovers the database as after the restore of a backup; the returned function lets nobody be told of it any longer. */
  restored(backup: { at: string; version: string; build: string | null }): Promise<() => Promise<void>>
  /** Sets the database to read-only, as a failover to a standby would, or back. */
  acceptWrites(accepts: boolean): Promise<void>
  /** Takes the lease of an operation from its worker, as the death of the worker does once the lease has expired. */
  loseLease(operationId: string): Promise<void>
  /** Plugin calls as the scripted plugin received them. */
  calls(operationId: string): Promise<{ stage: string; sha256: string; operationId: string }[]>
  stop(): Promise<void>
}

const bundleOf = (bundleId: string, version?: string) => {
  const found = demoBundles.find(
    (manifest) =>
      manifest.bundle.bundleId === bundleId && (version === undefined || manifest.version === version),
  )
  if (found === undefined) throw new Error(`There is no demo bundle ${bundleId} ${version ?? ''}`)
  return found
}

/**
 * @param worker Makes the scopes of this system different from those of another worker's.
 * @param server The URL of the PostgreSQL server to create the database on; default: see {@link startForTests}.
 */
export async function startSystem(worker: number, server?: string): Promise<System> {
  const port = await freePort()
  const proxy = await createFaultProxy(() => port)
  const egressAllow: EgressRule[] = [{ kind: 'loopback' }]
  const running = await startForTests({
    port,
    auth: {
      publicOrigin: `http://localhost:${proxy.port}`,
      users: Object.values(users),
      environmentMarks: [{ environmentKey: 'production', word: 'Production', color: 'red' }],
    },
    egressAllow,
    plugins: true,
    logLevel: 'error',
    ...(server !== undefined && { server }),
  })
  const tables = openDatabase<RuntimeTables>(running.connection)
  const { call, plugins } = running
  if (call === null || plugins === null) throw new Error('The system does not run its own runtime')
  await publishAll(call, plugins)

  const ended = async (operationId: string): Promise<Operation> => {
    await untilEnded(tables.db, operationId)
    return call(platform, 'GET /operations/{operationId}', { params: { operationId } })
  }
  const start: System['start'] = async (scope, bundleId, version) => {
    const manifest = bundleOf(bundleId, version)
    const { installation, operation } = await call(
      platform,
      'POST /installations',
      {
        body: {
          scope,
          bundle: manifest.bundle,
          targetVersion: version,
          properties: demoInstallValues(manifest, scope),
        },
      },
      crypto.randomUUID(),
    )
    return {
      bundleInstallId: installation.installation.bundleInstallId,
      operation,
    }
  }
  let workspaceId = 1000 + worker * 100_000
  let signInsAgedAt = 0
  return {
    url: running.url,
    runtimeUrl: running.runtimeUrl,
    proxy: proxy,
    call,
    egressAllow,
    script: createScript(plugins.scriptedHooks),
    ended,
    async operations(scope, operationType) {
      const { items } = await call(platform, 'GET /operations', { query: { ...scope, operationType } })
      return items
    },
    newScope: () => ({
      environmentKey: 'production',
      applicationRuntimeId: 'e2e',
      workspaceId: workspaceId++,
    }),
    start,
    async install(scope, bundleId, version) {
      const { bundleInstallId, operation } = await start(scope, bundleId, version)
      return { bundleInstallId, operation: await ended(operation.operationId) }
    },
    async configure(scope, resource, property, value, person = platform) {
      const { bundleId, kind, name } = resource
      const locator = formatLocator({ ...bundleOf(bundleId).bundle, kind, name })
      const params = { ...scope }
      const path = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const
      const { snapshotVersion } = await call(person, `GET ${path}`, { params })
      const { operations } = await call(
        person,
        `PATCH ${path}`,
        { params, body: { snapshotVersion, changes: { [locator]: { [property]: value } } } },
        crypto.randomUUID(),
      )
      const operation = operations[0]
      if (operation === undefined) throw new Error('The save changed nothing')
      return operation
    },
    signInsAgedAt: () => signInsAgedAt,
    async ageSignIns(seconds) {
      signInsAgedAt = performance.now()
      await sql`update bff.session set authenticated_at = clock_timestamp() - make_interval(secs => ${seconds})`.execute(
        tables.db,
      )
    },
    async giveRole(name, role) {
      const configured = Object.entries(users).map(([key, user]) =>
        key === name ? { ...user, roles: [{ role, scope: null }] } : user,
      )
      const bff = openDatabase<BffTables>(running.connection)
      await applyConfiguredUsers(bff.db, {
        configured,
        issuer: `http://localhost:${proxy.port}${IDP_PATH}`,
      })
      await bff.close()
    },
    async restored(backup) {
      await recoverDatabase(tables.db, { because: 'BACKUP_RESTORED', backup }, { isForced: true })
      return async () => {
        await sql`update runtime.server_identity set recovered_at = null`.execute(tables.db)
      }
    },
    async loseLease(operationId) {
      await sql`update runtime.operation set available_at = clock_timestamp() where operation_id = ${operationId}::uuid`.execute(
        tables.db,
      )
    },
    async acceptWrites(accepts) {
      // in the database `postgres`, so that the setting does not apply to this session
      const client = new pg.Client(clientConfig({ ...running.connection, database: 'postgres' }))
      await client.connect()
      const { database: name } = running.connection
      await client.query(
        `alter database ${pg.escapeIdentifier(name)} ${accepts ? 'reset default_transaction_read_only' : 'set default_transaction_read_only = on'}`,
      )
      // the setting applies to new sessions only
      await client.query(`select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1`, [
        name,
      ])
      await client.end()
    },
    async calls(operationId) {
      const response = await fetch(`${plugins.scriptedHooks}/log?operationId=${operationId}`)
      return ((await response.json()) as { calls: { stage: string; sha256: string; operationId: string }[] })
        .calls
    },
    async stop() {
      await proxy.close()
      await tables.close()
      await running.stop()
    },
  }
}

async function publishAll(
  call: DemoCaller,
  plugins: { tenantProvisioner: string; scriptedHooks: string },
): Promise<void> {
  const endpoints = {
    'tenant-provisioner': plugins.tenantProvisioner,
    'scripted-hooks': plugins.scriptedHooks,
  }
  for (const [pluginId, url] of Object.entries(endpoints)) {
    // retried soon, and often enough for every test
    const body = {
      title: pluginId,
      endpoint: `${url}/lifecycle`,
      enabled: true,
      maxAttempts: 100,
      maxBackoffMs: 2_000,
      timeoutMs: 3_000,
    }
    await call(platform, 'PUT /plugins/{pluginId}', { params: { pluginId }, body }, crypto.randomUUID())
  }
  for (const manifest of demoBundles) {
    const { bundle, version } = manifest
    await call(
      platform,
      'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
      { params: { ...bundle, version }, body: manifest },
      crypto.randomUUID(),
    )
  }
}
