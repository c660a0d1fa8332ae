import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkTypedValue } from '#contract/protocol/business-value.ts'
import { formatLocator } from '#contract/protocol/locator.ts'
import { AuthorManifest, checkManifest } from '#contract/protocol/manifest.ts'
import { demoBundles } from './demo-bundles.ts'
import { demoInstallValues, demoReferences } from './demo-values.ts'

for (const manifest of demoBundles) {
  const name = `${manifest.bundle.bundleId} ${manifest.version}`

  test(`${name} is a valid manifest`, () => {
    assert.deepEqual(AuthorManifest.parse(manifest), manifest)
    assert.deepEqual(checkManifest(manifest), [])
  })

  test(`${name} can be installed with its demo values and defaults`, () => {
    const installValues = demoInstallValues(manifest, {
      environmentKey: 'production',
      applicationRuntimeId: 'eu-central',
      workspaceId: 1,
    })
    for (const resource of manifest.resources) {
      const locator = formatLocator({ ...manifest.bundle, kind: resource.kind, name: resource.name })
      for (const [property, definition] of Object.entries(resource.properties)) {
        const value = installValues[locator]?.[property]
        if (value === undefined)
          assert.ok(
            definition.required !== true || definition.default !== undefined,
            `${locator} ${property} is required and has no value or default`,
          )
        else assert.deepEqual(checkTypedValue(definition, value), [], `${locator} ${property}`)
      }
    }
  })
}

test('five bundles of two environments, each in several versions', () => {
  const versions = Map.groupBy(demoBundles, ({ bundle }) => bundle.bundleId)
  assert.equal(versions.size, 5)
  assert.equal(new Set(demoBundles.map(({ bundle }) => bundle.environmentKey)).size, 2)
  for (const [bundleId, manifests] of versions) assert.ok(manifests.length >= 2, bundleId)
})

test('every kind of property and of value occurs somewhere', () => {
  const definitions = demoBundles.flatMap(({ resources }) =>
    resources.flatMap(({ properties }) => Object.values(properties)),
  )
  const kinds = new Set(definitions.map(({ kind }) => kind))
  assert.equal(kinds.size, 4)
  const types = new Set(
    definitions.flatMap(({ schema }) => (typeof schema === 'object' ? [JSON.stringify(schema['type'])] : [])),
  )
  for (const type of ['string', 'integer', 'number', 'boolean', 'array', 'object'])
    assert.ok(types.has(JSON.stringify(type)), type)
  assert.ok(definitions.some(({ isSensitive }) => isSensitive === true))
})

test('the demo references belong to existing properties', () => {
  for (const [bundleId, byResource] of Object.entries(demoReferences)) {
    const latest = demoBundles.findLast(({ bundle }) => bundle.bundleId === bundleId)
    for (const [place, values] of Object.entries(byResource)) {
      const resource = latest?.resources.find(({ kind, name }) => `${kind}/${name}` === place)
      for (const [property, value] of Object.entries(values)) {
        const definition = resource?.properties[property]
        assert.ok(definition !== undefined, `${bundleId} ${place} ${property}`)
        assert.deepEqual(checkTypedValue(definition, value), [])
      }
    }
  }
})
