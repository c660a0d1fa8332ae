import type { AuthorManifest, ManifestResource } from '#contract/protocol/manifest.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import { mailProperties } from './crm-mail.ts'
import {
  cron,
  data,
  domain,
  enabled,
  instanceRef,
  plugin,
  serviceMap,
  tenantAuthorization,
  tenantProperties,
  timeZone,
  without,
} from './definitions.ts'

const bundle = { environmentKey: 'production', bundleId: 'crm-suite' }
const title = 'CRM suite'

const coreProperties: Record<string, PropertyDefinition> = {
  instanceRefProperty: instanceRef,
  ...tenantProperties,
  defaultCurrency: data(
    { type: 'string', enum: ['EUR', 'USD', 'GBP', 'CHF', 'JPY'], title: 'Default currency' },
    { group: 'Sales', order: 1, default: 'EUR' },
  ),
  pipelineStages: data(
    {
      type: 'array',
      title: 'Pipeline stages',
      description: 'The steps of a deal, in order.',
      items: { type: 'string', minLength: 1, maxLength: 40 },
      minItems: 2,
      maxItems: 12,
      uniqueItems: true,
    },
    { group: 'Sales', order: 2, default: ['New', 'Qualified', 'Proposal', 'Won'] },
  ),
  auditLog: data(
    { type: 'boolean', title: 'Audit log', description: 'Record who viewed which contact.' },
    { group: 'Compliance', order: 1, default: true },
  ),
  retention: data(
    {
      type: 'object',
      title: 'Retention',
      description: 'How long records are kept after their last change.',
      properties: {
        contactsDays: { type: 'integer', title: 'Contacts, in days', minimum: 30, maximum: 3650 },
        dealsDays: { type: 'integer', title: 'Deals, in days', minimum: 30, maximum: 3650 },
        legalHold: {
          type: 'object',
          title: 'Legal hold',
          properties: {
            active: { type: 'boolean', title: 'Active' },
            reason: { type: 'string', title: 'Reason', maxLength: 200 },
          },
          required: ['active'],
          additionalProperties: false,
        },
      },
      required: ['contactsDays', 'dealsDays'],
      additionalProperties: false,
    },
    { group: 'Compliance', order: 2, default: { contactsDays: 730, dealsDays: 1825 } },
  ),
}

const core = (properties: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'MODULE',
  name: 'crm-core',
  title: 'CRM core',
  moduleId: 'module-crm-core',
  properties,
  events: [
    {
      method: 'contact-changed',
      schema: {
        type: 'object',
        properties: { contactId: { type: 'string' }, at: { type: 'string', format: 'date-time' } },
        required: ['contactId', 'at'],
      },
    },
  ],
})

const mail = (properties: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'MODULE',
  name: 'crm-mail',
  title: 'CRM mail',
  moduleId: 'module-crm-mail',
  properties,
})

const web: ManifestResource = {
  kind: 'GATEWAY',
  name: 'crm-web',
  title: 'CRM web address',
  properties: {
    domain: domain('Domain'),
    forceHttps: data(
      { type: 'boolean', title: 'Force HTTPS' },
      { group: 'Address', order: 2, default: true },
    ),
  },
}

const nightlySync: ManifestResource = {
  kind: 'TIMER',
  name: 'nightly-sync',
  title: 'Nightly synchronization',
  properties: { cron: cron('When to synchronize', '30 2 * * *'), timeZone, enabled },
}

const weeklyCleanup: ManifestResource = {
  kind: 'TIMER',
  name: 'weekly-cleanup',
  title: 'Weekly clean-up',
  properties: { cron: cron('When to clean up', '0 4 * * 0'), timeZone, enabled },
}

const leadScorer = (more: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'AGENT',
  name: 'lead-scorer',
  title: 'Lead scorer',
  properties: {
    instructions: data(
      {
        type: 'string',
        title: 'Instructions',
        description: 'What the agent looks for in a lead, in plain words.',
        minLength: 10,
        maxLength: 4000,
      },
      { group: 'Behaviour', order: 1, default: 'Score each lead from 0 to 100 and give one reason.' },
    ),
    temperature: data(
      { type: 'number', title: 'Temperature', minimum: 0, maximum: 2, multipleOf: 0.1 },
      { group: 'Behaviour', order: 2, default: 0.2 },
    ),
    sources: serviceMap({ group: 'Services', order: 1 }),
    ...more,
  },
})

const plugins = (values: { region: string }) => [
  plugin('tenant-provisioner', 10, [tenantAuthorization('module-crm-core')], values),
  plugin('scripted-hooks', 20, [
    {
      object: { type: 'MODULE' as const, moduleId: 'module-crm-mail' },
      readProperties: ['smtpHost', 'smtpPort', 'smtpPassword', 'fromAddress', 'mailGateway'],
      writeProperties: [],
      credentialProperties: ['mailGateway'],
    },
  ]),
]

const supportEmail = data(
  { type: 'string', format: 'email', title: 'Support address', description: 'Shown in every footer.' },
  { group: 'Tenant', order: 6, required: true, default: 'support@example.com' },
)

const dataRegion = data(
  {
    type: 'string',
    enum: ['eu-central', 'us-east', 'ap-south'],
    title: 'Data region',
    description: 'Where contacts are stored. You must choose it: there is no safe default.',
  },
  { group: 'Compliance', order: 3, required: true },
)

const dailyLimit = data(
  { type: 'integer', title: 'Maximum leads per day', minimum: 1, maximum: 100000 },
  { group: 'Behaviour', order: 3, default: 500 },
)

/** 1.1.0 adds a timer and a required property with a default; 2.0.0 drops both kinds and requires a region to be chosen. */
export const crmSuite: AuthorManifest[] = [
  {
    bundle,
    title,
    version: '1.0.0',
    description: 'Contacts, deals and mail for a sales team.',
    resources: [core(coreProperties), mail(mailProperties), web, nightlySync, leadScorer({})],
    plugins: plugins({ region: 'eu' }),
  },
  {
    bundle,
    title,
    version: '1.1.0',
    description: 'Contacts, deals and mail for a sales team, now with a weekly clean-up.',
    resources: [
      core({ ...coreProperties, supportEmail }),
      mail(mailProperties),
      web,
      nightlySync,
      weeklyCleanup,
      leadScorer({}),
    ],
    plugins: plugins({ region: 'eu' }),
  },
  {
    bundle,
    title,
    version: '2.0.0',
    description: 'Contacts, deals and mail for a sales team. Data now stays in a region of your choice.',
    resources: [
      core({ ...without(coreProperties, 'auditLog'), supportEmail, dataRegion }),
      mail(without(mailProperties, 'signature')),
      web,
      nightlySync,
      leadScorer({ dailyLimit }),
    ],
    plugins: plugins({ region: 'by-property' }),
  },
]
