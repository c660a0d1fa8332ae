import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { PropertyRow } from '#contract/console-api/shapes.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { invalidateEndpoints } from '../../api/query.ts'
import { queryClient } from '../../app/query-client.ts'
import { renderConsole } from '../../testing/render.tsx'
import { MAIL, OLIVIA, serveScope } from '../../testing/served-scope.ts'

const PROPERTIES = 'GET /properties'
const ADDRESS = '/properties?bundleId=crm-suite&kind=MODULE&resource=crm-mail&property=port'
const definition = { kind: 'DATA' as const, schema: { title: 'SMTP port' }, default: 25 }
const bundle = { environmentKey: 'production', bundleId: 'crm-suite' }

const rowOf = (workspaceId: number, value: JsonValue): PropertyRow => ({
  installation: {
    environmentKey: 'production',
    applicationRuntimeId: 'eu',
    workspaceId,
    bundleInstallId: `01920000-0000-7000-8000-${String(workspaceId).padStart(12, '0')}`,
    bundle,
  },
  title: 'CRM',
  version: '1.0.0',
  claim: null,
  locator: MAIL,
  resourceTitle: 'CRM mail',
  property: 'port',
  definition,
  writtenBy: null,
  value: wrapData(value),
  origin: 'setHere',
  manager: 'person',
  lastChange: { snapshotVersion: 2, at: '2026-11-22T08:00:00.000Z', by: OLIVIA, reason: null },
})
const list = (items: PropertyRow[], nextCursor: string | null = null) => ({ items, nextCursor })
const manifest = {
  bundle,
  version: '1.0.0',
  title: 'CRM',
  resources: [
    {
      kind: 'MODULE' as const,
      name: 'crm-mail',
      moduleId: 'crm-mail',
      title: 'CRM mail',
      properties: { port: { ...definition, schema: { ...definition.schema, type: 'integer' } } },
    },
  ],
  plugins: [],
}
const selection = page.getByRole('region', { name: 'Selection' })

test('what is selected has the values that it has now', async () => {
  const { api } = await serveScope({
    [PROPERTIES]: () => list([rowOf(1, 465), rowOf(2, 587)]),
    'GET /bundles/{environmentKey}/{bundleId}/versions/{version}': () => manifest,
  })
  await renderConsole(ADDRESS)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click()
  api.answer({ [PROPERTIES]: () => list([rowOf(1, 2525), rowOf(2, 587)]) })
  await invalidateEndpoints(queryClient, [PROPERTIES])
  await expect.element(page.getByRole('row', { name: /2525/ })).toBeVisible()
  await selection.getByRole('button', { name: 'Set values' }).click()
  await page.getByText('A value for each').click()
  await expect.element(page.getByRole('textbox', { name: 'production/eu/1' })).toHaveValue('2525')
})

test('the default is set in no more installations than the dialog has fields for', async () => {
  const rows = Array.from({ length: 201 }, (_, index) => rowOf(index + 1, 465))
  const { api } = await serveScope({ [PROPERTIES]: () => list(rows.slice(1)) })
  await renderConsole(ADDRESS)
  const all = page.getByRole('checkbox', { name: 'Select all on this page' })
  const button = selection.getByRole('button', { name: 'Use the default' })
  await all.click()
  await expect.element(button).not.toHaveAccessibleDescription()
  api.answer({ [PROPERTIES]: () => list(rows) })
  await invalidateEndpoints(queryClient, [PROPERTIES])
  await expect.element(all).not.toBeChecked()
  await all.click()
  await expect.element(button).toHaveAccessibleDescription(/at most 200 installations/)
  await button.click({ force: true })
  await expect.element(button).toHaveFocus()
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
})

test('a value that does not fit into an address is counted, and is not a filter', async () => {
  const long = 'x'.repeat(600)
  const { api } = await serveScope({
    [PROPERTIES]: () => list([rowOf(1, long), rowOf(2, long), rowOf(3, 'short')]),
  })
  await renderConsole(ADDRESS)
  const shares = page.getByRole('region', { name: 'Values on this page' })
  await expect.element(shares.getByRole('listitem').first()).toMatchTextContent(/^2/)
  const only = shares.getByRole('button', { name: /^Only these/ })
  await expect.element(only).toHaveAccessibleName('Only these short')
  await only.click()
  await expect
    .poll(() => api.requests(PROPERTIES).at(-1)?.query.get('equals'))
    .toBe(JSON.stringify(wrapData('short')))
})

test('a value has room beside the other columns in every window of 700 px or more', async () => {
  await serveScope({ [PROPERTIES]: () => list([rowOf(1, 465)]) })
  await renderConsole(ADDRESS)
  const header = page.getByRole('columnheader', { name: 'Value' })
  await expect.element(header).toBeVisible()
  const narrow: number[] = []
  for (let width = 700; width <= 1920; width += 20) {
    await page.viewport(width, 800)
    if (header.element().clientWidth < 100) narrow.push(width)
  }
  expect(narrow).toEqual([])
})
