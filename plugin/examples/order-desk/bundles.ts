import type { AuthorManifest } from '#contract/protocol/manifest.ts'
import { data, service } from '../bundles/definitions.ts'

const text = (title: string) => ({ type: 'string' as const, title, minLength: 1, maxLength: 80 })

/** Publishes events to its own Module through `eventPublisher`, and to that of the warehouse through `stockPublisher`. */
export const orderDeskBundle: AuthorManifest = {
  bundle: { environmentKey: 'production', bundleId: 'order-desk' },
  version: '1.0.0',
  title: 'Order desk',
  description: 'Takes orders, and requests the stock for them from the warehouse.',
  resources: [
    {
      kind: 'MODULE',
      name: 'desk',
      title: 'Order desk',
      moduleId: 'module-order-desk',
      properties: {
        displayName: data(text('Name'), { group: 'Desk', order: 1, required: true, default: 'Orders' }),
        eventPublisher: service({ group: 'Events', order: 1 }),
        stockPublisher: service({ group: 'Events', order: 2 }),
      },
      events: [
        {
          method: 'desk-configured',
          schema: {
            type: 'object',
            properties: { displayName: { type: 'string' }, operationId: { type: 'string' } },
            required: ['displayName', 'operationId'],
            additionalProperties: false,
          },
        },
      ],
    },
  ],
  plugins: [
    {
      pluginId: 'order-desk',
      order: 10,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1.0.0', values: {} },
      resources: [
        {
          object: { type: 'MODULE', moduleId: 'module-order-desk' },
          readProperties: ['displayName'],
          writeProperties: [],
          credentialProperties: ['eventPublisher', 'stockPublisher'],
        },
      ],
    },
  ],
}

export const warehouseBundle: AuthorManifest = {
  bundle: { environmentKey: 'production', bundleId: 'warehouse' },
  version: '1.0.0',
  title: 'Warehouse',
  description: 'Reserves stock when another bundle requests it.',
  resources: [
    {
      kind: 'MODULE',
      name: 'stock',
      title: 'Stock',
      moduleId: 'module-warehouse-stock',
      properties: {
        location: data(text('Location'), { group: 'Stock', order: 1, required: true, default: 'Hamburg' }),
      },
      events: [
        {
          method: 'stock-requested',
          schema: {
            type: 'object',
            properties: { desk: { type: 'string' }, articles: { type: 'integer', minimum: 1 } },
            required: ['desk', 'articles'],
            additionalProperties: false,
          },
        },
      ],
    },
  ],
  plugins: [],
}
