import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingsError } from '#http-kit/settings.ts'
import { createScriptedPlugin } from '#plugin/examples/scripted/scripted-plugin.ts'
import { createTenantProvisioner } from '#plugin/examples/tenant-provisioner/tenant-provisioner.ts'

export interface DemoPlugins {
  /** Base addresses; each accepts lifecycle calls at `/lifecycle`. */
  tenantProvisioner: string
  scriptedHooks: string
  stop(): Promise<void>
}

interface Ports {
  tenantProvisioner: number
  scriptedHooks: number
}

/**
 * Runs the example plugins on loopback. The system chooses their ports once; they are reused, because the runtime knows
 * the plugins by their addresses.
 */
export async function startDemoPlugins(folder: string, platformApiBase: string): Promise<DemoPlugins> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'ports.json')
  const ports = readPorts(file)
  const options = { dataDir: folder, platformApiBase }
  const tenant = await createTenantProvisioner(options)
    .listen(ports.tenantProvisioner)
    .catch(explainPort(ports.tenantProvisioner))
  const scripted = await createScriptedPlugin(options)
    .listen(ports.scriptedHooks)
    .catch(explainPort(ports.scriptedHooks))
  writeFileSync(file, JSON.stringify({ tenantProvisioner: tenant.port, scriptedHooks: scripted.port }))
  return {
    tenantProvisioner: tenant.url,
    scriptedHooks: scripted.url,
    async stop() {
      await Promise.all([tenant.close({ graceMs: 1_000 }), scripted.close({ graceMs: 1_000 })])
    },
  }
}

function explainPort(port: number) {
  return (error: unknown): never => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw new SettingsError(
      `Port ${port}, the registered port of an example plugin, is already in use; free it and restart`,
      { cause: error },
    )
  }
}

function readPorts(file: string): Ports {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Ports
  } catch {
    return { tenantProvisioner: 0, scriptedHooks: 0 }
  }
}
