import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'

interface Operation {
  operationId: string
  requestBody?: unknown
  responses: Record<string, unknown>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

for (const name of ['console-api', 'runtime-api', 'plugin-manager-api'])
  test(`a standard linter finds nothing in ${name}.json`, async () => {
    const source = readFileSync(new URL(`../docs/openapi/${name}.json`, import.meta.url), 'utf8')
    const config = await createConfig({ extends: ['recommended'] })
    const problems = await lintFromString({ source, config })
    assert.deepEqual(
      problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
      [],
    )
  })

for (const name of ['console-api', 'runtime-api', 'plugin-manager-api'])
  test(`responses of ${name}.json may get members, and requests may not`, () => {
    const text = readFileSync(new URL(`../docs/openapi/${name}.json`, import.meta.url), 'utf8')
    const { paths, components } = JSON.parse(text) as Document
    const isClosed = (schema: unknown, seen = new Set<string>()): boolean => {
      if (typeof schema !== 'object' || schema === null) return false
      if ('$ref' in schema && typeof schema.$ref === 'string') {
        const id = schema.$ref.slice('#/components/schemas/'.length)
        if (seen.has(id)) return false
        seen.add(id)
        return isClosed(components.schemas[id], seen)
      }
      if ('additionalProperties' in schema && schema.additionalProperties === false) return true
      return Object.values(schema).some((part) => isClosed(part, seen))
    }
    const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
    assert.deepEqual(
      operations.filter(({ responses }) => isClosed(responses)).map(({ operationId }) => operationId),
      [],
    )
    const writes = operations.filter(({ requestBody }) => requestBody !== undefined)
    assert.deepEqual(
      writes.filter(({ requestBody }) => !isClosed(requestBody)).map(({ operationId }) => operationId),
      [],
    )
  })

test('an operation has a short name, types have components, and problems are typed', () => {
  const text = readFileSync(new URL('../docs/openapi/console-api.json', import.meta.url), 'utf8')
  const { paths } = JSON.parse(text) as Document
  const snapshot =
    '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/snapshots/{snapshotVersion}'
  assert.equal(paths[snapshot]?.['get']?.operationId, 'getConfigurationSnapshot')
  assert.equal(paths['/operations/{operationId}/retry']?.['post']?.operationId, 'retryOperation')
  assert.deepEqual(paths['/operations/{operationId}']?.['get']?.responses['200'], {
    description: 'The data',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/OperationDetail' } } },
  })
  for (const methods of Object.values(paths))
    for (const { responses } of Object.values(methods))
      assert.match(JSON.stringify(responses['4XX']), /#\/components\/schemas\/Problem"/)
})

test('the console API says which reads may lack what a newer runtime names', () => {
  const text = readFileSync(new URL('../docs/openapi/console-api.json', import.meta.url), 'utf8')
  const { paths } = JSON.parse(text) as Document
  const mayLack = (path: string) => JSON.stringify(paths[path]?.['get']).includes('"unknownEntries"')
  for (const path of ['/operations', '/operations/counts', '/calendar', '/summary'])
    assert.ok(mayLack(path), path)
  for (const path of ['/operations/{operationId}', '/session']) assert.ok(!mayLack(path), path)
})
