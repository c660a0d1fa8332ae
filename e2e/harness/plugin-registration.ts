import { randomUUID } from 'node:crypto'
import { platform } from '../../demo/people.ts'
import type { System } from './system.ts'

/** The demo's plugin that does what its script says. */
export const PLUGIN = 'scripted-hooks'
/** Limits with which a run ends soon. */
export const SHORT = { maxAttempts: 3, maxBackoffMs: 100, timeoutMs: 1_000 }

/** How the plugin is registered now. */
export async function registration(system: System) {
  const params = { pluginId: PLUGIN }
  const {
    pluginId: _,
    credentials: __,
    check: ___,
    updatedAt: ____,
    retired: _____,
    owner,
    ...rest
  } = await system.call(platform, 'GET /plugins/{pluginId}', { params })
  return { ...rest, ...(owner !== null && { owner }) }
}

/** Replaces the registration of the plugin; applies to its next call. */
export async function register(
  system: System,
  body: Awaited<ReturnType<typeof registration>>,
): Promise<void> {
  const params = { pluginId: PLUGIN }
  await system.call(platform, 'PUT /plugins/{pluginId}', { params, body }, randomUUID())
}
