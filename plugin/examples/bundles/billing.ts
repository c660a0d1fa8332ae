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
  tenantAuthorization,
  tenantProperties,
  timeZone,
  without,
} from './definitions.ts'

const bundle = { environmentKey: 'production', bundleId: 'billing' }
const title = 'Billing'

const engineProperties: Record<string, PropertyDefinition> = {
  instanceRefProperty: instanceRef,
  ...tenantProperties,
  currency: data(
    { type: 'string', enum: ['EUR', 'USD', 'GBP', 'CHF', 'SEK'], title: 'Currency' },
    { group: 'Invoices', order: 1, required: true, default: 'EUR' },
  ),
  numberPattern: data(
    {
      type: 'string',
      title: 'Invoice number',
      description: 'A prefix of capital letters, a dash, and a run of # for the digits: INV-######.',
      pattern: '^[A-Z]{2,6}-#{4,10}$',
    },
    { group: 'Invoices', order: 2, default: 'INV-######' },
  ),
  paymentTermDays: data(
    { type: 'integer', title: 'Payment term in days', minimum: 0, maximum: 120 },
    { group: 'Invoices', order: 3, default: 30 },
  ),
  lateFeePercent: data(
    {
      type: 'number',
      title: 'Late fee in percent per year',
      minimum: 0,
      exclusiveMaximum: 25,
    },
    { group: 'Invoices', order: 4, default: 8.12 },
  ),
  roundToCash: data(
    { type: 'boolean', title: 'Round totals to the smallest coin' },
    { group: 'Invoices', order: 5, default: false },
  ),
  issuer: data(
    {
      type: 'object',
      title: 'Issuer',
      description: 'The sender on the invoice.',
      properties: {
        name: { type: 'string', title: 'Legal name', minLength: 1, maxLength: 120 },
        vatId: { type: 'string', title: 'VAT id', pattern: '^[A-Z]{2}[A-Z0-9]{2,12}$' },
        address: {
          type: 'object',
          title: 'Address',
          properties: {
            street: { type: 'string', title: 'Street', maxLength: 120 },
            city: { type: 'string', title: 'City', maxLength: 80 },
            country: { type: 'string', title: 'Country', pattern: '^[A-Z]{2}$' },
          },
          required: ['city', 'country'],
          additionalProperties: false,
        },
      },
      required: ['name', 'address'],
      additionalProperties: false,
    },
    { group: 'Issuer', order: 1, required: true },
  ),
  signingKey: secret(
    {
      type: 'string',
      title: 'Signing key',
      description: 'Signs the invoices; 32 bytes in hexadecimal.',
      pattern: '^[0-9a-f]{64}$',
    },
    { group: 'Issuer', order: 2 },
  ),
  archive: service({ group: 'Services', order: 1 }),
}

const taxProperties: Record<string, PropertyDefinition> = {
  rules: data(
    {
      type: 'array',
      title: 'Tax rules',
      description: 'The first rule that matches an invoice line is applied.',
      items: {
        type: 'object',
        title: 'Rule',
        properties: {
          country: { type: 'string', title: 'Country', pattern: '^[A-Z]{2}$' },
          category: { type: 'string', title: 'Category', enum: ['standard', 'reduced', 'zero'] },
          ratePercent: { type: 'number', title: 'Rate in percent', minimum: 0, maximum: 50 },
        },
        required: ['country', 'category', 'ratePercent'],
        additionalProperties: false,
      },
      minItems: 1,
      maxItems: 200,
    },
    {
      group: 'Rules',
      order: 1,
      required: true,
      default: [
        { country: 'DE', category: 'standard', ratePercent: 19 },
        { country: 'DE', category: 'reduced', ratePercent: 7 },
      ],
    },
  ),
  exemptCustomers: data(
    {
      type: 'array',
      title: 'Exempt customers',
      items: { type: 'string', pattern: '^C[0-9]{6}$' },
      uniqueItems: true,
    },
    { group: 'Rules', order: 2, default: [] },
  ),
}

const reverseCharge = data(
  {
    type: 'object',
    title: 'Reverse charge',
    description: 'Free form: the terms agreed with the tax adviser, by country.',
    additionalProperties: { type: 'string', maxLength: 200 },
  },
  { group: 'Rules', order: 3, default: {} },
)

const engine = (properties: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'MODULE',
  name: 'invoice-engine',
  title: 'Invoice engine',
  moduleId: 'module-invoice-engine',
  properties,
  events: [
    {
      method: 'invoice-issued',
      schema: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
    },
  ],
})

const taxes = (properties: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'MODULE',
  name: 'tax-rules',
  title: 'Tax rules',
  moduleId: 'module-tax-rules',
  properties,
})

const portal: ManifestResource = {
  kind: 'GATEWAY',
  name: 'billing-portal',
  title: 'Customer portal',
  properties: { domain: domain('Portal domain') },
}

const invoiceRun: ManifestResource = {
  kind: 'TIMER',
  name: 'invoice-run',
  title: 'Monthly invoice run',
  properties: { cron: cron('When to write invoices', '0 6 1 * *'), timeZone, enabled },
}

const dunning: ManifestResource = {
  kind: 'TIMER',
  name: 'dunning',
  title: 'Dunning',
  properties: {
    cron: cron('When to send reminders', '0 9 * * 1-5'),
    timeZone,
    enabled,
    graceDays: data(
      { type: 'integer', title: 'Days of grace', minimum: 0, maximum: 60 },
      { group: 'Reminders', order: 1, default: 7 },
    ),
  },
}

// Equal orders: the runtime calls the two in parallel.
const plugins = [
  plugin('tenant-provisioner', 10, [tenantAuthorization('module-invoice-engine')]),
  plugin('scripted-hooks', 10, [
    {
      object: { type: 'MODULE' as const, moduleId: 'module-tax-rules' },
      readProperties: ['rules', 'exemptCustomers'],
      writeProperties: [],
      credentialProperties: [],
    },
  ]),
]

const costCentre = data(
  {
    type: 'string',
    title: 'Cost centre',
    description: 'Four digits; finance books this installation under it.',
    pattern: '^[0-9]{4}$',
  },
  { group: 'Issuer', order: 3, required: true },
)

/** Both plugins have the same order. 1.2.0 adds dunning; 2.0.0 requires a cost centre and drops cash rounding. */
export const billing: AuthorManifest[] = [
  {
    bundle,
    title,
    version: '1.0.0',
    description: 'Invoices, taxes and a portal where customers find them.',
    resources: [engine(engineProperties), taxes(taxProperties), portal, invoiceRun],
    plugins,
  },
  {
    bundle,
    title,
    version: '1.2.0',
    description: 'Invoices, taxes, reminders and a portal where customers find them.',
    resources: [engine(engineProperties), taxes(taxProperties), portal, invoiceRun, dunning],
    plugins,
  },
  {
    bundle,
    title,
    version: '2.0.0',
    description: 'Invoices by cost centre, taxes with reverse charge, reminders and a portal.',
    resources: [
      engine({ ...without(engineProperties, 'roundToCash'), costCentre }),
      taxes({ ...taxProperties, reverseCharge }),
      portal,
      invoiceRun,
      dunning,
    ],
    plugins,
  },
]
