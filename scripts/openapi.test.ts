import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'

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

test('an operation has a short name, types have components, and problems are typed', () => {
  const text = readFileSync(new URL('../docs/openapi/console-api.json', import.meta.url), 'utf8')
  const { paths } = JSON.parse(text) as {
    paths: Record<string, Record<string, { operationId: string; responses: Record<string, unknown> }>>
  }
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
