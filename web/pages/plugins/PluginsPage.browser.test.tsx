import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { Plugin } from '#contract/console-api/shapes.ts'
import { renderConsole } from '../../testing/render.tsx'
import { serveScope } from '../../testing/served-scope.ts'

const plugin = (pluginId: string): Plugin => ({
  pluginId,
  title: `Plugin ${pluginId}`,
  endpoint: `https://${pluginId}.example.com/lifecycle`,
  enabled: true,
  owner: null,
  version: '2.4.0',
  check: 'NOT_PASSED',
  retired: null,
  credentials: [],
  updatedAt: '2026-11-20T08:00:00.000Z',
})
const hours = (...counts: number[]) => [...Array.from({ length: 24 - counts.length }, () => 0), ...counts]
const cellsOf = (name: string) =>
  page.getByRole('row', { name: new RegExp(`Plugin ${name}`) }).getByRole('cell')

test('a plugin has its failures of 24 hours; they are not known beside 50 plugins that have more', async () => {
  const failing = { pluginId: 'hooks', hours: hours(2, 1) }
  let others = 0
  await serveScope({
    'GET /plugins': () => ({ items: [plugin('hooks'), plugin('quiet')], nextCursor: null }),
    'GET /causes/hours': () => ({
      since: '2026-11-20T08:00:00.000Z',
      plugins: [
        failing,
        ...Array.from({ length: others }, (_, index) => ({ pluginId: `p${index}`, hours: hours(1) })),
      ],
    }),
  })
  await renderConsole('/plugins')
  await expect.element(cellsOf('hooks').nth(3)).toHaveTextContent('3')
  await expect.element(cellsOf('quiet').nth(3)).toHaveTextContent('0')
  others = 49
  await renderConsole('/plugins?q=plugin')
  await expect.element(cellsOf('quiet').nth(3)).toHaveTextContent('–')
})
