import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import {
  byPlace,
  countSet,
  groupNames,
  groupResources,
  leftovers,
  matchingProperties,
  narrowGroups,
  originOf,
} from './outline.ts'
import { configuration, CORE, data, define, MAIL, resource } from '../testing.ts'

const core = resource({
  title: 'CRM core',
  definitions: {
    seats: define({ group: 'Tenant', order: 2, schema: { title: 'Seats' } }),
    name: define({ group: 'Tenant', order: 1 }),
    loose: define(),
    audit: define({ group: 'Compliance', schema: { description: 'Who looked at which contact' } }),
  },
  properties: { old: data(1) },
})
const all = configuration(1, {
  [MAIL]: resource({ title: 'CRM mail', definitions: { host: define() } }),
  [CORE]: core,
  'production/crm/TIMER/nightly': resource({ title: 'A timer', kind: 'TIMER' }),
  'production/billing/MODULE/x': resource({ title: 'X', bundleInstallId: 'i-2' }),
})
const nothing = { q: '', show: undefined }

describe('the outline', () => {
  it('groups resources by installation, in a stable order', () => {
    assert.deepEqual(
      groupResources(all).map(({ bundleId, resources }) => [
        bundleId,
        resources.map((entry) => entry.resource.title),
      ]),
      [
        ['billing', ['X']],
        ['crm', ['CRM core', 'CRM mail', 'A timer']],
      ],
    )
  })

  it('finds a resource by its name, and properties by name, title, group and help', () => {
    const find = (q: string) =>
      matchingProperties({ locator: CORE, resource: core }, { ...nothing, q }, undefined)
    assert.equal(find('crm core').length, 5)
    assert.deepEqual(find('SEATS'), ['seats'])
    assert.deepEqual(find('tenant'), ['seats', 'name'])
    assert.deepEqual(find('looked at'), ['audit'])
    const titles = narrowGroups(groupResources(all), { ...nothing, q: 'timer' }, new Map())
    assert.deepEqual(
      titles.flatMap(({ resources }) => resources.map((entry) => entry.resource.title)),
      ['A timer'],
    )
  })

  it('can be filtered to edited and to invalid properties', () => {
    const marks = new Map([[CORE, { edited: ['name', 'seats'], invalid: ['seats'] }]])
    const shown = (show: 'changed' | 'invalid') =>
      narrowGroups(groupResources(all), { q: '', show }, marks).flatMap(({ resources }) =>
        resources.flatMap((entry) => matchingProperties(entry, { q: '', show }, marks.get(entry.locator))),
      )
    assert.deepEqual(shown('changed'), ['seats', 'name'])
    assert.deepEqual(shown('invalid'), ['seats'])
  })
})

describe('the groups of a form', () => {
  it('are ordered by name, the ungrouped first, their properties by order and title', () => {
    assert.deepEqual(groupNames(core, ['seats', 'name', 'loose', 'audit', 'old']), [
      { name: '', properties: ['loose'] },
      { name: 'Compliance', properties: ['audit'] },
      { name: 'Tenant', properties: ['name', 'seats'] },
    ])
    assert.deepEqual(leftovers(core, ['seats', 'old']), ['old'])
  })
})

test('properties are compared by their place on the page', () => {
  const ordered = configuration(1, {
    [MAIL]: resource({
      title: 'Mail',
      definitions: {
        user: define(),
        port: define({ group: 'Server', order: 2 }),
        host: define({ group: 'Server', order: 1 }),
      },
    }),
    [CORE]: resource({ title: 'Core', definitions: { name: define() } }),
  })
  const places = [
    { locator: MAIL, property: 'port' },
    { locator: 'production/crm/MODULE/gone', property: 'name' },
    { locator: MAIL, property: 'host' },
    { locator: MAIL, property: 'user' },
    { locator: CORE, property: 'name' },
  ]
  assert.deepEqual(
    places.toSorted(byPlace(ordered)).map(({ property }) => property),
    ['name', 'user', 'host', 'port', 'name'],
  )
})

test('a value comes from here, from the default of its version, or from a plugin', () => {
  const mail = resource({
    definitions: {
      host: define(),
      port: define({ default: 25 }),
      user: define({ default: 'crm' }),
      token: define(),
      zone: define({ default: 'UTC' }),
      note: define({ default: '' }),
    },
    properties: {
      host: data('a'),
      port: data(25),
      user: data('crm'),
      token: data('t'),
      zone: data('UTC'),
    },
    writtenBy: { token: 'issuer' },
    managedBy: { host: 'apply:gitops', port: 'default:1.0.0', user: 'person', token: 'plugin:issuer' },
  })
  const origins = Object.keys(mail.definitions).map((name) => [name, originOf(mail, name)])
  assert.deepEqual(Object.fromEntries(origins), {
    host: 'here',
    port: 'default',
    // somebody set it to what is the default: an upgrade does not change it
    user: 'here',
    token: 'plugin',
    // of an earlier save no manager is known
    zone: 'default',
    note: null,
  })
  const entry = { locator: 'production/crm/MODULE/mail', resource: mail }
  assert.deepEqual(matchingProperties(entry, { q: '', show: 'set' }, undefined), ['host', 'user'])
  assert.equal(countSet([{ bundleInstallId: 'i-1', bundleId: 'crm', resources: [entry] }]), 2)
})
