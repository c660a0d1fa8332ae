import { mayBePlainHttp } from '#bff/oidc/client.ts'
import { findPending } from '#database/migrate.ts'
import { fromUrl, isReadableByOthers } from '#database/settings.ts'
import { RUNTIME_MIGRATIONS } from '#runtime/store/migrations.ts'
import { NOT_CREATED, openForExamination } from '../open-for-examination.ts'
import type { Opened } from '../open-for-examination.ts'
import { readDeployment } from '../deployment.ts'
import type { Deployment } from '../deployment.ts'
import { checkDatabase, checkStandby, checkRetention } from './check-database.ts'
import { checkClock, checkDisk, checkFiles } from './check-machine.ts'
import { checkEgress } from './check-egress.ts'
import { checkAssertionKey, checkSealingKey, checkRemoteRuntime } from './check-keys.ts'
import { checkProvider } from './check-provider.ts'
import { checked, fail, ok, skip, warn } from './finding.ts'
import type { Finding } from './finding.ts'

/** Beside the pools of a runtime: its listener and its watch for failovers. */
const CONNECTIONS_OF = { runtime: 2, console: 10 }

/** Examines the deployment of this environment. Creates and changes nothing. */
export async function examine(env: Record<string, string | undefined>): Promise<Finding[]> {
  let deployment: Deployment
  try {
    deployment = readDeployment(env)
  } catch (error) {
    return [{ check: 'settings', ...fail(error instanceof Error ? error.message : String(error)) }]
  }
  const settings: Finding = { check: 'settings', ...judgeSettings(deployment) }
  const database = await openForExamination(deployment)
  try {
    const findings = await Promise.all([
      checked('files', () => checkFiles(env)),
      checked('disk', () => checkDisk(deployment.dataDir, deployment.database.url === null)),
      ...checksOfDatabase(deployment, database),
      checked('console', () => checkAssertionKey(deployment)),
      checked('runtime', () => checkRemoteRuntime(deployment)),
      checked('provider', () => checkProvider(deployment)),
    ])
    return [settings, ...findings]
  } finally {
    if (typeof database !== 'string') await database.close()
  }
}

function judgeSettings({ console, runtime }: Deployment): Omit<Finding, 'check'> {
  const origin = new URL(console?.auth.publicOrigin ?? 'https://none')
  if (origin.protocol === 'http:' && !mayBePlainHttp(origin))
    return warn(
      'PUBLIC_URL is not https: passwords and sessions can be read on the way; put a proxy with TLS in front',
    )
  const parts = [console && 'console', runtime && 'runtime'].filter(Boolean)
  return ok(`the settings of the ${parts.join(' and the ')} are valid`)
}

function checksOfDatabase(deployment: Deployment, database: Opened | string): Promise<Finding>[] {
  if (typeof database === 'string') {
    const isNew = database === NOT_CREATED
    return [
      checked('database', () => Promise.resolve(isNew ? ok(database) : fail(database))),
      checked('keys', () => checkSealingKey(deployment, null, false)),
      ...['standby', 'clock', 'egress', 'retention'].map((check) =>
        checked(check, () => Promise.resolve(skip('there is no database to ask'))),
      ),
    ]
  }
  const { db, pool, isMigrated } = database
  const { http, worker } = deployment.database.connections
  const needed =
    (deployment.runtime === null ? 0 : http + worker + CONNECTIONS_OF.runtime) +
    (deployment.console === null ? 0 : CONNECTIONS_OF.console)
  const { url, migrates } = deployment.database
  const isUnencrypted = url !== null && isReadableByOthers(fromUrl(url))
  return [
    checked('database', () => checkDatabase(pool, needed, { isUnencrypted, migrates })),
    checked('standby', () => checkStandby(database, deployment.database.readUrl)),
    checked('keys', () => checkSealingKey(deployment, db, isMigrated)),
    checked('clock', () => checkClock(pool)),
    checked('egress', () => checkEgress(deployment, pool, isMigrated)),
    checked('retention', async () => {
      // a schema that is too new is told by the check of the database
      const pending = await findPending(pool, RUNTIME_MIGRATIONS).catch(() => null)
      const isCurrent = isMigrated && pending?.length === 0
      return checkRetention(deployment, db, isCurrent)
    }),
  ]
}
