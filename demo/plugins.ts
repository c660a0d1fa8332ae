import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SettingsError } from '#http-kit/settings.ts'
import { createOrderDesk, createWarehouse } from '#plugin/examples/order-desk/order-desk.ts'
import { createScriptedPlugin } from '#plugin/examples/scripted/scripted-plugin.ts'
import { createTenantProvisioner } from '#plugin/examples/tenant-provisioner/tenant-provisioner.ts'
import { credentialFromFile } from '#plugin-sdk/src/index.ts'
import type { Listening } from '#plugin-sdk/src/index.ts'

export interface DemoPlugins {
  /** Base addresses; each accepts lifecycle calls at `/lifecycle`. */
  tenantProvisioner: string
  scriptedHooks: string
  /** An example pair: the order desk publishes events, to itself and to the warehouse. */
  orderDesk: string
  /** The file from which the order desk reads its credential. */
  orderDeskCredentialFile: string
  warehouse: string
  stop(): Promise<void>
}

interface Ports {
  tenantProvisioner: number
  scriptedHooks: number
  orderDesk: number
  warehouse: number
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
  const orderDeskCredentialFile = join(folder, 'order-desk.credential')
  const credential = credentialFromFile(orderDeskCredentialFile)
  const start = (example: Example, port: number): Promise<Listening> =>
    example.listen(port).catch(explainPort(port))
  const tenant = await start(createTenantProvisioner(options), ports.tenantProvisioner)
  const scripted = await start(createScriptedPlugin(options), ports.scriptedHooks)
  const orderDesk = await start(createOrderDesk({ ...options, credential }), ports.orderDesk)
  const warehouse = await start(createWarehouse(options), ports.warehouse)
  const used: Ports = {
    tenantProvisioner: tenant.port,
    scriptedHooks: scripted.port,
    orderDesk: orderDesk.port,
    warehouse: warehouse.port,
  }
  writeFileSync(file, JSON.stringify(used))
  return {
    tenantProvisioner: tenant.url,
    scriptedHooks: scripted.url,
    orderDesk: orderDesk.url,
    orderDeskCredentialFile,
    warehouse: warehouse.url,
    async stop() {
      await Promise.all(
        [tenant, scripted, orderDesk, warehouse].map(({ close }) => close({ graceMs: 1_000 })),
      )
    },
  }
}

interface Example {
  listen(port: number): Promise<Listening>
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

const ANY_PORTS: Ports = { tenantProvisioner: 0, scriptedHooks: 0, orderDesk: 0, warehouse: 0 }

function readPorts(file: string): Ports {
  try {
    // written above, possibly by a version with fewer examples
    return { ...ANY_PORTS, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<Ports>) }
  } catch {
    return ANY_PORTS
  }
}
