import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Configuration, PropertyView } from '#contract/console-api/shapes.ts'
import type { JsonObject } from '#contract/json-schema/json.ts'
import { EMPTY } from '../../pages/configuration/draft/draft.ts'
import { restore } from '../../pages/configuration/draft/restore.ts'
import { configuration, CORE, data, define, hidden, resource } from '../../pages/configuration/testing.ts'
import { valuesOf } from '../configuration-files/configuration-file.ts'
import { placeBound, servicesIn } from './place-bound.ts'

const WEB = 'production/crm/GATEWAY/web'
const reference = (serviceId: string): PropertyView => ({ '@type': 'ServiceReference', serviceId })
const references = (...ids: string[]): PropertyView => ({
  '@type': 'ServiceReferenceList',
  valueList: ids.map((serviceId) => ({ '@type': 'ServiceReference' as const, serviceId })),
})
const schema = (of: JsonObject) => define({ schema: of })
const hostname = { type: 'string', format: 'hostname' }

const definitions = {
  name: define(),
  secret: define({ isSensitive: true }),
  tenant: define(),
  callback: define(),
  origins: define(),
  smtpHost: schema(hostname),
  mail: define({ kind: 'SERVICE_REFERENCE' }),
  sources: define({ kind: 'SERVICE_REFERENCE_LIST' }),
}
const gateway = (properties: Record<string, PropertyView>) =>
  resource({
    kind: 'GATEWAY',
    properties,
    definitions: {
      domain: schema(hostname),
      redirectFrom: schema({ type: 'array', items: hostname }),
      publicUrl: schema({ type: 'object', properties: { url: { type: ['string', 'null'], format: 'uri' } } }),
      title: schema({ type: 'string' }),
    },
  })
const staging: Configuration = {
  ...configuration(3, {
    [CORE]: resource({
      properties: {
        name: data('Acme'),
        secret: hidden(true),
        tenant: data('t-staging'),
        callback: data('https://api.CRM.staging.example/back'),
        origins: data({ list: ['https://elsewhere.example', 'https://crm.staging.example:8443'] }),
        smtpHost: data('relay.mail.example'),
        mail: reference('smtp-staging'),
        sources: references('shared', 'shared'),
      },
      definitions,
      writtenBy: { tenant: 'provisioner' },
    }),
    [WEB]: gateway({
      domain: data('crm.staging.example'),
      redirectFrom: data(['old.staging.example']),
      publicUrl: data({ url: 'https://crm.staging.example/' }),
      title: data('Web of crm.staging.example'),
    }),
  }),
  scope: { environmentKey: 'staging', applicationRuntimeId: 'eu', workspaceId: 10 },
}
const production = configuration(8, {
  [CORE]: resource({ properties: { name: data('Other') }, definitions }),
  [WEB]: gateway({ domain: data('crm.example') }),
})
const copied = (source: Configuration, target: Configuration) => {
  const values = valuesOf(source)
  return placeBound(values, target, { from: source.scope, source, usable: new Set(['shared']) })
}
const bounds = (source: Configuration, target: Configuration) =>
  Object.fromEntries(copied(source, target).map(({ property, bound }) => [property, bound]))

const EXPECTED = {
  name: null,
  secret: null,
  tenant: 'issued',
  callback: 'address',
  origins: 'address',
  smtpHost: null,
  mail: 'service',
  sources: null,
  domain: 'domain',
  redirectFrom: 'domain',
  publicUrl: 'domain',
  title: 'address',
}

test('what belongs to the other place is known, at any depth', () => {
  assert.deepEqual(bounds(staging, production), EXPECTED)
})

test('a domain stays in its scope within one environment too', () => {
  assert.deepEqual(
    bounds({ ...staging, scope: { ...production.scope, workspaceId: 2 } }, production),
    EXPECTED,
  )
})

test('a value that a plugin wrote through an operation is one that it issued', () => {
  const core = staging.resources[CORE]
  assert.ok(core)
  const issued = {
    ...core,
    writtenBy: {},
    managedBy: { tenant: 'plugin:provisioner', name: 'person' } as const,
  }
  const { tenant, name } = bounds(
    { ...staging, resources: { ...staging.resources, [CORE]: issued } },
    production,
  )
  assert.deepEqual([tenant, name], ['issued', null])
})

test('a domain that only begins or ends like one of the other place is not an address of it', () => {
  for (const [text, bound] of [
    ['https://crm.staging.example.org/', null],
    ['https://mycrm.staging.example/', null],
    ['https://crm.staging.example', 'address'],
    ['see crm.staging.example.', 'address'],
    ['copied from staging/eu/10', 'address'],
    ['copied from staging/eu/101', null],
  ] as const) {
    const core = resource({ properties: { name: data(text) }, definitions })
    const source = { ...staging, resources: { ...staging.resources, [CORE]: core } }
    assert.equal(bounds(source, production)['name'], bound, text)
  }
})

test('of a file, only the target knows the definitions', () => {
  const values = valuesOf(staging).filter(({ property }) => property !== 'secret')
  const arriving = placeBound(values, production, { from: null, source: null, usable: new Set() })
  assert.deepEqual(
    arriving.filter(({ bound }) => bound !== null).map(({ property, bound }) => [property, bound]),
    [
      ['callback', 'address'],
      ['origins', 'address'],
      ['mail', 'service'],
      ['sources', 'service'],
      ['domain', 'domain'],
      ['redirectFrom', 'domain'],
      ['publicUrl', 'domain'],
      ['title', 'address'],
    ],
  )
  assert.deepEqual(servicesIn(values), ['smtp-staging', 'shared'])
})

test('only what belongs nowhere becomes an edit; the rest waits or is left out', () => {
  const { step, held, left } = restore(copied(staging, production), production, EMPTY)
  assert.deepEqual(
    step.map(({ property }) => property),
    ['name', 'smtpHost', 'sources'],
  )
  assert.deepEqual(
    held.map(({ property }) => property),
    ['tenant', 'callback', 'origins', 'mail', 'domain', 'redirectFrom', 'publicUrl', 'title'],
  )
  assert.deepEqual(
    left.map(({ property, why }) => [property, why]),
    [['secret', 'sensitive']],
  )
  const same = restore(copied(staging, staging), staging, EMPTY)
  assert.deepEqual([same.step, same.held], [[], []])
})
