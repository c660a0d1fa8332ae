import type { AuthorManifest, ManifestResource } from '#contract/protocol/manifest.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import {
  cron,
  data,
  domain,
  enabled,
  instanceRef,
  plugin,
  secret,
  service,
  serviceList,
  serviceMap,
  timeZone,
  without,
} from './definitions.ts'

const bundle = { environmentKey: 'production', bundleId: 'storefront' }
const title = 'Storefront'

const shopProperties: Record<string, PropertyDefinition> = {
  instanceRefProperty: instanceRef,
  shopName: data(
    { type: 'string', title: 'Shop name', minLength: 1, maxLength: 60 },
    { group: 'Shop', order: 1, required: true },
  ),
  locales: data(
    {
      type: 'array',
      title: 'Languages',
      description: 'Visitors with any other language see the first one.',
      items: { type: 'string', enum: ['de', 'en', 'fr', 'it', 'nl', 'pl'] },
      minItems: 1,
      uniqueItems: true,
    },
    { group: 'Shop', order: 2, required: true, default: ['en'] },
  ),
  accentColor: data(
    { type: 'string', title: 'Accent color', pattern: '^#[0-9a-f]{6}$' },
    { group: 'Shop', order: 3, default: '#2f6f4e' },
  ),
  imprintUrl: data({ type: 'string', format: 'uri', title: 'Imprint' }, { group: 'Shop', order: 4 }),
  catalogues: serviceMap({ group: 'Services', order: 1 }),
  eventPublisher: service({ group: 'Services', order: 2 }),
}

const checkoutProperties: Record<string, PropertyDefinition> = {
  paymentProviders: serviceList({ group: 'Payment', order: 1 }),
  webhookSecret: secret(
    {
      type: 'string',
      title: 'Webhook secret',
      description: 'Payment providers sign their notifications with it.',
      minLength: 16,
      maxLength: 128,
    },
    { group: 'Payment', order: 2 },
  ),
  freeShippingFrom: data(
    { type: ['number', 'null'], title: 'Free shipping from', description: 'Null: never.', minimum: 0 },
    { group: 'Shipping', order: 1, default: null },
  ),
  shippingZones: data(
    {
      type: 'object',
      title: 'Shipping zones',
      description: 'Price by country.',
      propertyNames: { pattern: '^[A-Z]{2}$' },
      additionalProperties: { type: 'number', minimum: 0, maximum: 500 },
    },
    { group: 'Shipping', order: 2, default: { DE: 4.9, AT: 9.9 } },
  ),
}

const shop = (properties: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'MODULE',
  name: 'shop',
  title: 'Shop',
  moduleId: 'module-shop',
  properties,
  events: [
    {
      method: 'order-placed',
      schema: {
        type: 'object',
        properties: { orderId: { type: 'string' }, total: { type: 'number' } },
        required: ['orderId', 'total'],
      },
    },
    { method: 'stock-changed', schema: { type: 'object' } },
  ],
})

const checkout = (properties: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'MODULE',
  name: 'checkout',
  title: 'Checkout',
  moduleId: 'module-checkout',
  properties,
})

const gateway = (name: string, gatewayTitle: string): ManifestResource => ({
  kind: 'GATEWAY',
  name,
  title: gatewayTitle,
  properties: {
    domain: domain('Domain'),
    redirectFrom: data(
      {
        type: 'array',
        title: 'Redirect from',
        description: 'Other domain names that redirect here.',
        items: { type: 'string', format: 'hostname' },
        maxItems: 20,
        uniqueItems: true,
      },
      { group: 'Address', order: 2, default: [] },
    ),
  },
})

const stockImport: ManifestResource = {
  kind: 'TIMER',
  name: 'stock-import',
  title: 'Stock import',
  properties: { cron: cron('When to import the stock', '*/15 * * * *'), timeZone, enabled },
}

const adviser: ManifestResource = {
  kind: 'AGENT',
  name: 'shopping-adviser',
  title: 'Shopping adviser',
  properties: {
    greeting: data(
      { type: 'string', title: 'Greeting', minLength: 1, maxLength: 200 },
      { group: 'Behaviour', order: 1, default: 'Hello! What are you looking for?' },
    ),
    knowledge: serviceList({ group: 'Services', order: 1 }),
    handOver: data(
      {
        title: 'Hand over',
        description: 'Never, or after a number of questions without an answer.',
        oneOf: [
          { const: 'never', title: 'Never' },
          { type: 'integer', title: 'After this many questions', minimum: 1, maximum: 10 },
        ],
      },
      { group: 'Behaviour', order: 2, default: 3 },
    ),
  },
}

const plugins = [
  plugin('scripted-hooks', 20, [
    {
      object: { type: 'MODULE' as const, moduleId: 'module-shop' },
      readProperties: ['shopName', 'locales', 'eventPublisher', 'catalogues'],
      writeProperties: [],
      credentialProperties: ['eventPublisher'],
    },
    {
      object: { type: 'MODULE' as const, moduleId: 'module-checkout' },
      readProperties: ['paymentProviders', 'webhookSecret'],
      writeProperties: ['checkoutId'],
      credentialProperties: ['paymentProviders'],
    },
  ]),
]

const checkoutId = data(
  { type: 'string', title: 'Checkout', description: 'Assigned by the checkout plugin.' },
  { group: 'Payment', order: 3 },
)

const returnPolicyDays = data(
  { type: 'integer', title: 'Return period in days', minimum: 14, maximum: 365 },
  { group: 'Shop', order: 5, required: true, default: 30 },
)

/** References of all three shapes. 1.5.0 adds an agent and a second domain; 2.0.0 drops the color and adds a policy. */
export const storefront: AuthorManifest[] = [
  {
    bundle,
    title,
    version: '1.0.0',
    description: 'A shop with several payment providers.',
    resources: [
      shop(shopProperties),
      checkout({ ...checkoutProperties, checkoutId }),
      gateway('shop-web', 'Shop address'),
      stockImport,
    ],
    plugins,
  },
  {
    bundle,
    title,
    version: '1.5.0',
    description: 'A shop with several payment providers, an adviser and an address for partners.',
    resources: [
      shop(shopProperties),
      checkout({ ...checkoutProperties, checkoutId }),
      gateway('shop-web', 'Shop address'),
      gateway('partner-web', 'Partner address'),
      stockImport,
      adviser,
    ],
    plugins,
  },
  {
    bundle,
    title,
    version: '2.0.0',
    description: 'A shop with several payment providers, an adviser and a return policy.',
    resources: [
      shop({ ...without(shopProperties, 'accentColor'), returnPolicyDays }),
      checkout({ ...checkoutProperties, checkoutId }),
      gateway('shop-web', 'Shop address'),
      stockImport,
      adviser,
    ],
    plugins,
  },
]
