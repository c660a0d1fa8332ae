import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ManifestPlugin } from '#contract/protocol/manifest.ts'
import { DomainError } from '../refusals.ts'
import { CORE, crm } from '../../testing/bundles.ts'
import { compileAuthorizations, modulesOf, writersOf } from './compile-authorization.ts'

const modules = modulesOf(crm)
const plugin = (
  pluginId: string,
  order: number,
  entry: Partial<ManifestPlugin['resources'][number]> = {},
) => ({
  pluginId,
  order,
  failurePolicy: 'FAIL_FAST' as const,
  configuration: { schemaVersion: '1', values: {} },
  resources: [
    {
      object: { type: 'MODULE' as const, moduleId: 'crm-core' },
      readProperties: [],
      writeProperties: [],
      credentialProperties: [],
      ...entry,
    },
  ],
})

const refusedWith = (code: string, pluginId: string) => (error: unknown) =>
  error instanceof DomainError && error.code === code && error.message.includes(pluginId)

describe('a compiled authorization', () => {
  it('contains the locator of the exact Module that the installation owns', () => {
    assert.deepEqual(compileAuthorizations(crm.plugins, modules), [
      {
        pluginId: 'tenants',
        protocolVersion: '6.0.0',
        order: 10,
        failurePolicy: 'FAIL_FAST',
        configuration: { schemaVersion: '1', values: {} },
        resources: [
          {
            resource: CORE,
            readProperties: ['name', 'password', 'publisher'],
            writeProperties: ['tenantId'],
            credentialProperties: ['publisher'],
          },
        ],
      },
    ])
  })

  it('is sorted in ascending order', () => {
    const compiled = compileAuthorizations([plugin('b', 2), plugin('a', 1), plugin('c', -1)], modules)
    assert.deepEqual(
      compiled.map(({ pluginId }) => pluginId),
      ['c', 'a', 'b'],
    )
  })

  it('lists the writer of each property, and refuses two writers of one property', () => {
    const writing = { writeProperties: ['tenantId'] }
    assert.deepEqual(writersOf(compileAuthorizations([plugin('a', 1, writing)], modules)), {
      [CORE]: { tenantId: 'a' },
    })
    assert.throws(
      () => writersOf(compileAuthorizations([plugin('a', 1, writing), plugin('b', 2, writing)], modules)),
      refusedWith('MANIFEST_INVALID', 'b'),
    )
  })

  const broken: [string, string, Partial<ManifestPlugin['resources'][number]>][] = [
    [
      'a Module of another installation',
      'RESOURCE_OWNERSHIP_MISSING',
      { object: { type: 'MODULE', moduleId: 'other' } },
    ],
    ['an unknown property', 'MANIFEST_INVALID', { readProperties: ['nothing'] }],
    ['a property of the prototype', 'MANIFEST_INVALID', { readProperties: ['toString'] }],
    ['a reference to write', 'MANIFEST_INVALID', { writeProperties: ['publisher'] }],
    ['the protected property to write', 'MANIFEST_INVALID', { writeProperties: ['instanceRefProperty'] }],
    ['data to resolve', 'MANIFEST_INVALID', { credentialProperties: ['name'] }],
  ]
  for (const [what, code, entry] of broken) {
    it(`refuses ${what} and names the plugin`, () => {
      assert.throws(
        () => compileAuthorizations([plugin('culprit', 1, entry)], modules),
        refusedWith(code, 'culprit'),
      )
    })
  }
})
