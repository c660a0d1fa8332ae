import type { AuthorManifest, ManifestResource } from '#contract/protocol/manifest.ts'
import type { PropertyDefinition } from '#contract/protocol/property-definition.ts'
import {
  cron,
  data,
  domain,
  enabled,
  plugin,
  secret,
  service,
  tenantAuthorization,
  tenantProperties,
  timeZone,
} from './definitions.ts'

const bundle = { environmentKey: 'staging', bundleId: 'support-desk' }
const title = 'Support desk'

const deskProperties: Record<string, PropertyDefinition> = {
  ...tenantProperties,
  openingHours: data(
    {
      type: 'array',
      title: 'Opening hours',
      items: {
        type: 'object',
        properties: {
          day: { type: 'string', title: 'Day', enum: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
          from: { type: 'string', title: 'From', format: 'time' },
          to: { type: 'string', title: 'To', format: 'time' },
        },
        required: ['day', 'from', 'to'],
        additionalProperties: false,
      },
      maxItems: 14,
    },
    { group: 'Service', order: 1, default: [] },
  ),
  answerWithinHours: data(
    { type: 'number', title: 'Response time in hours', exclusiveMinimum: 0, maximum: 168 },
    { group: 'Service', order: 2, default: 8 },
  ),
  escalation: service({ group: 'Services', order: 1 }),
}

const inboxProperties: Record<string, PropertyDefinition> = {
  address: data(
    { type: 'string', format: 'email', title: 'Address', maxLength: 254 },
    { group: 'Inbox', order: 1, required: true },
  ),
  imapPassword: secret(
    { type: 'string', title: 'Password', minLength: 8, maxLength: 200 },
    { group: 'Inbox', order: 2, required: true },
  ),
  blockedSenders: data(
    {
      type: 'array',
      title: 'Blocked senders',
      items: { type: 'string', minLength: 3, maxLength: 254 },
      uniqueItems: true,
    },
    { group: 'Inbox', order: 3, default: [] },
  ),
}

const desk = (properties: Record<string, PropertyDefinition>): ManifestResource => ({
  kind: 'MODULE',
  name: 'desk',
  title: 'Desk',
  moduleId: 'module-desk',
  properties,
})

const inbox: ManifestResource = {
  kind: 'MODULE',
  name: 'inbox',
  title: 'Inbox',
  moduleId: 'module-inbox',
  properties: inboxProperties,
}

const web: ManifestResource = {
  kind: 'GATEWAY',
  name: 'help-center',
  title: 'Help centre',
  properties: { domain: domain('Domain') },
}

const reminder: ManifestResource = {
  kind: 'TIMER',
  name: 'overdue-reminder',
  title: 'Reminder for overdue tickets',
  properties: { cron: cron('When to remind', '0 8-18/2 * * 1-5'), timeZone, enabled },
}

const triage: ManifestResource = {
  kind: 'AGENT',
  name: 'triage',
  title: 'Triage',
  properties: {
    instructions: data(
      { type: 'string', title: 'Instructions', minLength: 10, maxLength: 4000 },
      { group: 'Behaviour', order: 1, required: true, default: 'Sort each ticket into one queue.' },
    ),
    confidence: data(
      {
        type: 'number',
        title: 'Minimum confidence',
        description: 'Below this a person decides.',
        minimum: 0,
        maximum: 1,
      },
      { group: 'Behaviour', order: 2, default: 0.8 },
    ),
  },
}

const plugins = [
  plugin('tenant-provisioner', 10, [tenantAuthorization('module-desk')]),
  plugin('scripted-hooks', 20, [
    {
      object: { type: 'MODULE' as const, moduleId: 'module-inbox' },
      readProperties: ['address', 'imapPassword'],
      writeProperties: [],
      credentialProperties: [],
    },
    {
      object: { type: 'MODULE' as const, moduleId: 'module-desk' },
      readProperties: ['escalation'],
      writeProperties: [],
      credentialProperties: ['escalation'],
    },
  ]),
]

/** Two plugins in sequence, a required secret. 2.0.0 adds an agent and a newly required property. */
export const supportDesk: AuthorManifest[] = [
  {
    bundle,
    title,
    version: '1.0.0',
    description: 'Tickets from an inbox, and a help centre.',
    resources: [desk(deskProperties), inbox, web, reminder],
    plugins,
  },
  {
    bundle,
    title,
    version: '2.0.0',
    description: 'Tickets from an inbox, sorted by an agent, and a help centre.',
    resources: [
      desk({
        ...deskProperties,
        queues: data(
          {
            type: 'array',
            title: 'Queues',
            items: { type: 'string', minLength: 1, maxLength: 40 },
            minItems: 1,
            uniqueItems: true,
          },
          { group: 'Service', order: 3, required: true },
        ),
      }),
      inbox,
      web,
      reminder,
      triage,
    ],
    plugins,
  },
]
