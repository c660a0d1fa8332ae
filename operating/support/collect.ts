import { arch, availableParallelism, platform, release, totalmem } from 'node:os'
import { Scrubber } from '#http-kit/text/scrub.ts'
import { openForExamination } from '../open-for-examination.ts'
import { readDeployment } from '../deployment.ts'
import type { Deployment } from '../deployment.ts'
import { examine } from '../doctor/examine.ts'
import { thisProduct } from '../version.ts'
import { describeDatabase } from './describe-database.ts'
import { describeSettings, secretsOf } from './settings.ts'

const METRICS_TIMEOUT_MS = 3_000

/**
 * What somebody needs to help with this deployment, as the text of one JSON document. It names no person, scope or
 * property value, and every known secret is masked wherever it appears.
 */
export async function collectSupportBundle(env: Record<string, string | undefined>): Promise<string> {
  const deployment = deploymentOf(env)
  const document = {
    format: 'bundle-console support bundle 1',
    at: new Date().toISOString(),
    ...(await thisProduct()),
    system: {
      node: process.version,
      platform: `${platform()} ${release()} ${arch()}`,
      processors: availableParallelism(),
      memoryBytes: totalmem(),
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
    settings: describeSettings(env),
    doctor: await examine(env),
    database: deployment === null ? null : await databaseOf(deployment),
    metrics: deployment?.runtime == null ? null : await metricsOf(deployment.runtime),
  }
  const scrubber = new Scrubber()
  if (deployment !== null) {
    const credentials = [
      ...(deployment.runtime?.credentials ?? []),
      deployment.console?.runtime?.credential ?? '',
    ]
    for (const secret of secretsOf({ ...deployment, credentials })) scrubber.add(secret)
  }
  return `${scrubber.scrub(JSON.stringify(document, null, 2))}\n`
}

/** Null if a setting is wrong; the findings say which. */
function deploymentOf(env: Record<string, string | undefined>): Deployment | null {
  try {
    return readDeployment(env)
  } catch {
    return null
  }
}

async function databaseOf(deployment: Deployment): Promise<Record<string, unknown> | null> {
  const database = await openForExamination(deployment)
  if (typeof database === 'string') return null
  try {
    return await describeDatabase(database.pool)
  } finally {
    await database.close()
  }
}

/** The metrics of the runtime on this machine; null if it does not run. */
async function metricsOf({ host, port }: { host: string; port: number }): Promise<string[] | null> {
  const local = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const name = local.includes(':') ? `[${local}]` : local
  try {
    const response = await fetch(`http://${name}:${port}/bundle-runtime/api/metrics`, {
      signal: AbortSignal.timeout(METRICS_TIMEOUT_MS),
    })
    return response.ok ? (await response.text()).split('\n') : null
  } catch {
    return null
  }
}
