import { join } from 'node:path'
import {
  definePlugin,
  eventOutbox,
  eventReceiver,
  listen,
  notApplied,
  outboxView,
  sqliteStore,
  toNodeListener,
  verified,
} from '#plugin-sdk/src/index.ts'
import type { Credential, EventReceiverOptions, Listening, SqliteTransaction } from '#plugin-sdk/src/index.ts'

export interface OrderDeskOptions {
  /** The state is stored in `order-desk.sqlite` and `warehouse.sqlite` in this folder. */
  dataDir: string
  platformApiBase: string
  /** The credential of the plugin `order-desk`. */
  credential: Credential
}

/** The service ids as which the two receivers are registered. */
export const ORDER_DESK_SERVICE = 'order-desk-events'
export const WAREHOUSE_SERVICE = 'warehouse-events'

/** Tells its own Module through `eventPublisher`, and the warehouse through `stockPublisher`, what was configured. */
const EVENTS = { eventPublisher: 'desk-configured', stockPublisher: 'stock-requested' } as const

const RECEIVED_SCHEMA = `CREATE TABLE IF NOT EXISTS received (
  event_id TEXT PRIMARY KEY, method TEXT NOT NULL, plugin_id TEXT NOT NULL, payload TEXT NOT NULL
)`

/**
 * The plugin `order-desk`, which publishes events: lifecycle calls at `/lifecycle`, its own events at `/events/…`, and
 * what is in the outbox at `/outbox`. `GET /received` lists the events that arrived.
 */
export function createOrderDesk({ dataDir, platformApiBase, credential }: OrderDeskOptions) {
  const store = sqliteStore(join(dataDir, 'order-desk.sqlite'), { schema: RECEIVED_SCHEMA })
  const outbox = eventOutbox({ store, platformApiBase, credential })
  const plugin = definePlugin({
    pluginId: 'order-desk',
    store,
    platformApiBase,
    credential,
    handle: {
      // The references resolve only after the resources have been changed.
      AFTER_RESOURCES: (call) =>
        call.conclude(async (tx) => {
          const { operationId, operationType } = call.operation
          if (operationType === 'DETACH') return notApplied()
          for (const { locator, values, references } of call.resources) {
            const displayName = String(values['displayName'])
            const payloads = {
              eventPublisher: { displayName, operationId },
              stockPublisher: { desk: displayName, articles: 12 },
            }
            for (const propertyKey of ['eventPublisher', 'stockPublisher'] as const) {
              if (references[propertyKey] === undefined) continue
              await outbox.publish(tx, {
                installation: call.installation,
                resource: locator,
                propertyKey,
                method: EVENTS[propertyKey],
                payload: payloads[propertyKey],
                idempotencyKey: operationId,
              })
            }
          }
          return verified()
        }),
    },
  })
  const receive = eventReceiver({
    serviceId: ORDER_DESK_SERVICE,
    platformApiBase,
    store,
    handle: { 'desk-configured': remember },
  })
  const view = outboxView(outbox, { path: '/outbox' })
  return {
    async listen(port = 0, host = '127.0.0.1'): Promise<Listening> {
      const listening = await listen(
        toNodeListener(async (request) => {
          const { pathname } = new URL(request.url)
          if (pathname === '/received') return Response.json(await readReceived(store))
          if (pathname === '/outbox') return view(request)
          return pathname.startsWith('/events/') ? receive(request) : plugin(request)
        }),
        port,
        host,
      )
      outbox.start()
      return closing(listening, async () => {
        await outbox.stop()
        await store.close()
      })
    },
  }
}

/** The other side: a separate service that only receives events, at `/events/…`. */
export function createWarehouse({ dataDir, platformApiBase }: Omit<OrderDeskOptions, 'credential'>) {
  const store = sqliteStore(join(dataDir, 'warehouse.sqlite'), { schema: RECEIVED_SCHEMA })
  const receive = eventReceiver({
    serviceId: WAREHOUSE_SERVICE,
    platformApiBase,
    store,
    handle: { 'stock-requested': remember },
  })
  return {
    async listen(port = 0, host = '127.0.0.1'): Promise<Listening> {
      const listening = await listen(
        toNodeListener(async (request) =>
          new URL(request.url).pathname === '/received'
            ? Response.json(await readReceived(store))
            : receive(request),
        ),
        port,
        host,
      )
      return closing(listening, () => store.close())
    },
  }
}

type Remember = EventReceiverOptions<SqliteTransaction>['handle'][string]

const remember: Remember = ({ eventId, method, pluginId, payload }, tx) =>
  tx
    .prepare('INSERT INTO received VALUES (?, ?, ?, ?)')
    .run(eventId, method, pluginId, JSON.stringify(payload))

const readReceived = (store: ReturnType<typeof sqliteStore>) =>
  store.transaction((tx) => tx.prepare('SELECT method, plugin_id, payload FROM received').all())

const closing = (listening: Listening, end: () => Promise<void>): Listening => ({
  ...listening,
  async close(options) {
    await listening.close(options)
    await end()
  },
})
