import { existsSync, writeFileSync } from 'node:fs'
import { orderDeskBundle, warehouseBundle } from '#plugin/examples/order-desk/bundles.ts'
import { ORDER_DESK_SERVICE, WAREHOUSE_SERVICE } from '#plugin/examples/order-desk/order-desk.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import type { DemoBuilder } from './builder.ts'
import type { DemoCaller } from './caller.ts'
import { mira, platform } from './people.ts'
import { scopes } from './places.ts'

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
  await registerService(builder, call, {
    serviceId: WAREHOUSE_SERVICE,
    url: warehouse,
    manifest: warehouseBundle,
  })
  await registerService(builder, call, {
    serviceId: ORDER_DESK_SERVICE,
    url: orderDesk,
    manifest: orderDeskBundle,
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

async function registerService(
  builder: DemoBuilder,
  call: DemoCaller,
  { serviceId, url, manifest }: { serviceId: string; url: string; manifest: AuthorManifest },
): Promise<void> {
  const [module] = manifest.resources
  if (module === undefined) throw new Error('The bundle has no Module')
  const { kind, name } = module
  const owner = {
    bundleInstallId: builder.idOf(PLACE, manifest.bundle.bundleId),
    locator: formatLocator({ ...manifest.bundle, kind, name }),
  }
  await call(
    platform,
    'PUT /services/{serviceId}',
    {
      params: { serviceId },
      body: {
        title: `Events of ${manifest.title}`,
        url: `${url}/events`,
        methods: [],
        owner,
        consumers: [scopes[PLACE]],
        enabled: true,
      },
    },
    `service-${serviceId}`,
  )
}
