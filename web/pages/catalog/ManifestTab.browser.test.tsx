import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Manifest } from '../../subjects/manifest/writers.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { ManifestTab } from './ManifestTab.tsx'

const manifestOf = (modules: number): Manifest => ({
  bundle: { environmentKey: 'production', bundleId: 'crm' },
  version: '1.0.0',
  title: 'CRM',
  resources: Array.from({ length: modules }, (_, index) => ({
    kind: 'MODULE' as const,
    name: `module-${index}`,
    title: `Module ${index}`,
    moduleId: `id-${index}`,
    properties: {
      host: { kind: 'DATA' as const, schema: { type: 'string', title: 'Mail host' }, default: 'mail' },
      port: { kind: 'DATA' as const, schema: { type: 'integer', title: 'Port' }, default: 587 },
    },
  })),
  plugins: [
    {
      pluginId: 'mail-directory',
      order: 10,
      failurePolicy: 'FAIL_FAST',
      configuration: { schemaVersion: '1', values: {} },
      resources: Array.from({ length: modules }, (_, index) => ({
        object: { type: 'MODULE' as const, moduleId: `id-${index}` },
        readProperties: ['host'],
        writeProperties: [],
        credentialProperties: [],
      })),
    },
  ],
})

const headings = page.getByRole('heading', { level: 3 })
const card = (index: number) => page.getByRole('region', { name: `Module ${index}`, exact: true })
const search = page.getByRole('searchbox', { name: 'Search resources and properties' })

test('of a thousand Modules and their rights most are in brief, and all can be reached', async () => {
  await renderInConsole(<ManifestTab manifest={manifestOf(1000)} />)
  await expect.element(headings).toHaveLength(1000)
  await expect.poll(() => page.getByRole('listitem').elements().length).toBeGreaterThan(1000)
  expect(document.querySelectorAll('*').length).toBeLessThan(6000)
  card(999).element().scrollIntoView()
  await expect.element(card(999).getByText('Mail host')).toBeInViewport()
  await expect.element(page.getByText(/MODULE\/module-999 host/)).toBeInTheDocument()
})

test('the search finds a Module by its ID', async () => {
  await renderInConsole(<ManifestTab manifest={manifestOf(1000)} />)
  await search.fill('id-512')
  await expect.element(headings).toHaveLength(1)
  await expect.element(card(512).getByText('Mail host')).toBeVisible()
})

test('a small manifest has no search', async () => {
  await renderInConsole(<ManifestTab manifest={manifestOf(3)} />)
  await expect.element(card(2).getByText('Mail host')).toBeInTheDocument()
  await expect.element(search).not.toBeInTheDocument()
})
