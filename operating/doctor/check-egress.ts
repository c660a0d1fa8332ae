import { connect } from 'node:net'
import type pg from 'pg'
import { allowsDestination, destinationOf } from '#http-kit/egress.ts'
import { whyNoResponse } from '#http-kit/outbound-result.ts'
import type { Deployment } from '../deployment.ts'
import { ok, fail, skip, warn } from './finding.ts'
import type { Finding } from './finding.ts'

const TIMEOUT_MS = 3_000
/** A deployment may have many plugins; the first ones show whether the network works. */
const MAX_CONTACTED = 50

/** Whether `EGRESS_ALLOW` allows every registered plugin, and whether each accepts connections. */
export async function checkEgress(
  { runtime }: Deployment,
  pool: pg.Pool | null,
  isMigrated: boolean,
): Promise<Omit<Finding, 'check'>> {
  if (runtime === null) return skip('only runtimes call plugins')
  if (pool === null) return skip('the database cannot be reached')
  if (!isMigrated) return ok('no plugin is registered yet')
  const { rows } = await pool.query<{ plugin_id: string; endpoint: string }>(
    'select plugin_id, endpoint from runtime.plugin where enabled order by plugin_id',
  )
  const plugins = rows.map(({ plugin_id: id, endpoint }) => ({ id, at: destinationOf(new URL(endpoint)) }))
  const denied = plugins.filter(({ at }) => !allowsDestination(runtime.egressAllow, at))
  if (denied.length > 0)
    return fail(`EGRESS_ALLOW does not allow ${named(denied)}; add the destination or disable the plugin`)
  const contacted = plugins.slice(0, MAX_CONTACTED)
  const reached = await Promise.all(
    contacted.map(async (plugin) => ({ plugin, reason: await reach(plugin.at) })),
  )
  const silent = reached.filter(({ reason }) => reason !== null)
  if (silent.length > 0)
    return warn(
      `${silent.length} of ${contacted.length} plugins accept no connection: ${named(silent.map(({ plugin }) => plugin))} (${silent[0]?.reason})`,
    )
  return ok(
    plugins.length === 0
      ? 'no plugin is enabled'
      : `all ${plugins.length} plugins are allowed and accept connections`,
  )
}

function named(plugins: readonly { id: string; at: { host: string; port: number } }[]): string {
  const shown = plugins.slice(0, 3).map(({ id, at }) => `${id} at ${at.host}:${at.port}`)
  return shown.join(', ') + (plugins.length > 3 ? ` and ${plugins.length - 3} more` : '')
}

/** Null if the address accepts a connection, otherwise why not. */
function reach({ host, port }: { host: string; port: number }): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: TIMEOUT_MS })
    const end = (reason: string | null): void => {
      socket.destroy()
      resolve(reason)
    }
    socket.once('connect', () => end(null))
    socket.once('timeout', () => end('no response within three seconds'))
    socket.once('error', (error) => end(whyNoResponse(error) ?? error.message))
  })
}
