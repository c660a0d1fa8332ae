import { existsSync, writeFileSync } from 'node:fs'
import { orderDeskBundle, warehouseBundle } from '#plugin/examples/order-desk/bundles.ts'
import { ORDER_DESK_SERVICE, WAREHOUSE_SERVICE } from '#plugin/examples/order-desk/order-desk.ts'
import type { DemoBuilder } from './builder.ts'
import type { DemoCaller } from './caller.ts'
import { mira, platform } from './people.ts'

/** The running examples that publish and receive events. */
export interface EventPluginAddresses {
  orderDesk: string
  /** The file from which the order desk reads its credential. */
  orderDeskCredentialFile: string
  warehouse: string
}

const PLACE = 'preview'

/**
 * An order desk that publishes events to its own Module and to that of a warehouse. The references are set when both
 * services exist; that CONFIGURE publishes the first events.
 */
export async function buildEvents(
  builder: DemoBuilder,
  call: DemoCaller,
  { orderDesk, orderDeskCredentialFile, warehouse }: EventPluginAddresses,
): Promise<void> {
  await call(
    platform,
    'PUT /plugins/{pluginId}',
    {
      params: { pluginId: 'order-desk' },
      body: { title: 'Order desk', endpoint: `${orderDesk}/lifecycle`, enabled: true },
    },
    'plugin-order-desk',
  )
  if (!existsSync(orderDeskCredentialFile)) await saveCredential(call, orderDeskCredentialFile)
  for (const manifest of [warehouseBundle, orderDeskBundle]) {
    await builder.publish(manifest)
    await builder.settled(await builder.install(PLACE, manifest.bundle.bundleId, manifest.version, mira))
  }
  for (const [serviceId, address, manifest] of [
    [WAREHOUSE_SERVICE, warehouse, warehouseBundle],
    [ORDER_DESK_SERVICE, orderDesk, orderDeskBundle],
  ] as const)
    await builder.registerOwned(PLACE, manifest, {
      serviceId,
      title: `Events of ${manifest.title}`,
      url: `${address}/events`,
    })
  for (const [property, serviceId] of [
    ['eventPublisher', ORDER_DESK_SERVICE],
    ['stockPublisher', WAREHOUSE_SERVICE],
  ] as const) {
    const value = { '@type': 'ServiceReference' as const, serviceId }
    const reason = 'Publish events'
    await builder.settled(
      await builder.configure(PLACE, 'order-desk', 'MODULE/desk', property, value, mira, reason),
    )
  }
}

async function saveCredential(call: DemoCaller, file: string): Promise<void> {
  const { secret } = await call(
    platform,
    'POST /plugins/{pluginId}/credentials',
    { params: { pluginId: 'order-desk' }, body: {} },
    // with the time: the secret is returned only once
    `credential-order-desk-${Date.now()}`,
  )
  writeFileSync(file, secret ?? '', { mode: 0o600 })
}
