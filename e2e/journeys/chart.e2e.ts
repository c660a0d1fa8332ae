import { wrapData } from '#contract/protocol/data.ts'
import { platform } from '../../demo/people.ts'
import { expect, test } from '../harness/test.ts'
import { configurationPath, expectApplied, save } from '../vocabulary.ts'

const bundle = { environmentKey: 'production', bundleId: 'journey-chart' }
const LOCATOR = 'production/journey-chart/MODULE/release'

/** Like the values of a published chart: shared definitions, free keys, objects in objects, open types. */
const manifest = {
  bundle,
  version: '1.0.0',
  title: 'Chart',
  $defs: {
    labels: { type: 'object', title: 'Labels', additionalProperties: { type: 'string' } },
    probe: {
      type: 'object',
      title: 'Probe',
      properties: {
        path: { type: 'string', title: 'Path' },
        port: { type: ['integer', 'string'], title: 'Port' },
        enabled: { type: 'boolean', title: 'Probe enabled' },
        labels: { $ref: '#/$defs/labels' },
      },
    },
  },
  resources: [
    {
      kind: 'MODULE' as const,
      name: 'release',
      title: 'Release',
      moduleId: 'journey-chart/release',
      properties: {
        labels: {
          kind: 'DATA' as const,
          schema: { $ref: '#/$defs/labels' },
          default: { app: 'web', tier: 'front' },
        },
        server: {
          kind: 'DATA' as const,
          schema: {
            type: 'object',
            title: 'Server',
            properties: {
              name: { type: 'string', title: 'Server name' },
              note: { type: 'string', title: 'Note' },
              mode: { type: 'string', title: 'Address mode', enum: ['', 'private', 'public'] },
              probe: { $ref: '#/$defs/probe' },
              tolerations: { type: 'array', title: 'Tolerations' },
            },
          },
          default: { name: 'one', mode: 'public', probe: { path: '/health', port: 80, enabled: true } },
        },
      },
    },
  ],
  plugins: [],
}

test('the values of a chart are edited in their own controls, and arrive as they were meant', async ({
  system,
  signIn,
}) => {
  test.slow()
  const scope = system.newScope()
  await system.call(
    platform,
    'PUT /bundles/{environmentKey}/{bundleId}/versions/{version}',
    { params: { ...bundle, version: '1.0.0' }, body: manifest },
    crypto.randomUUID(),
  )
  const { operation } = await system.call(
    platform,
    'POST /installations',
    { body: { scope, bundle, targetVersion: '1.0.0' } },
    crypto.randomUUID(),
  )
  await system.ended(operation.operationId)

  const page = await signIn('olivia', configurationPath(scope, LOCATOR))
  const labels = page.getByRole('group', { name: 'Labels', exact: true }).first()
  await labels.getByRole('textbox', { name: 'Key', exact: true }).nth(1).fill('app')
  await expect(labels.getByText('The key app is already used').first()).toBeVisible()
  await expect(page.getByRole('radio', { name: 'Invalid 1' })).toBeVisible()
  await labels.getByRole('textbox', { name: 'Key', exact: true }).nth(1).fill('zone')
  await labels.getByRole('button', { name: 'Add key' }).click()
  await page.keyboard.type('8080')
  await page.keyboard.press('Enter')
  await page.keyboard.type('web')

  await page.getByRole('textbox', { name: 'Note' }).fill('x')
  await page.getByRole('textbox', { name: 'Note' }).fill('')
  await page.getByRole('textbox', { name: 'Server name' }).fill('')
  await page.getByRole('combobox', { name: 'Address mode' }).selectOption('empty text')
  await page.getByRole('button', { name: /^Probe / }).click()
  await page.getByRole('button', { name: 'Remove Probe enabled' }).click()
  await page.getByRole('combobox', { name: 'Port' }).selectOption('Text')
  await page.getByRole('textbox', { name: 'Port' }).fill('http')
  await save(page)
  await expectApplied(page)
  const { resources } = await system.call(
    platform,
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration',
    { params: scope },
  )
  expect(resources[LOCATOR]?.properties).toMatchObject({
    labels: wrapData({ app: 'web', zone: 'front', 8080: 'web' }),
    server: wrapData({ name: '', mode: '', probe: { path: '/health', port: 'http' } }),
  })
})
