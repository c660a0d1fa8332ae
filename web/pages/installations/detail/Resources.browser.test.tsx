import { expect, test } from 'vitest'
import { page, userEvent } from 'vitest/browser'
import type { InstallationDetail, InstalledResource } from '#contract/console-api/shapes.ts'
import { wrapData } from '#contract/protocol/data.ts'
import { installationDetail } from '../../../testing/installation.ts'
import { renderInConsole } from '../../../testing/render.tsx'
import { Resources } from './Resources.tsx'

const locator = (index: number) => `production/crm/MODULE/module-${index}`
const digits = (index: number) => String(index).padStart(4, '0')

const module = (index: number): InstalledResource => ({
  locator: locator(index),
  title: `Module ${digits(index)}`,
  version: '1.0.0',
  verifiedAt: '2026-11-22T08:00:00.000Z',
  properties: { host: wrapData(`mail-${index}.example.com`), port: wrapData(587) },
  definitions: {
    host: { kind: 'DATA', schema: { type: 'string', title: 'Mail host' } },
    port: { kind: 'DATA', schema: { type: 'integer', title: index === 700 ? 'Odd port' : 'Port' } },
  },
})
const detailOf = (modules: number): InstallationDetail => ({
  ...installationDetail,
  resources: Array.from({ length: modules }, (_, index) => module(index)),
})

const elements = () => document.querySelectorAll('*').length
const headings = page.getByRole('heading')
const card = (index: number) => page.getByRole('region', { name: `Module ${digits(index)}`, exact: true })
const search = page.getByRole('searchbox', { name: 'Search resources and properties' })
const focusedCard = () => document.activeElement?.closest('section')?.getAttribute('aria-label')

test('of a thousand Modules each has its heading, and few have more than that', async () => {
  await renderInConsole(<Resources detail={detailOf(1000)} />)
  await expect.element(headings).toHaveLength(1000)
  expect(elements()).toBeLessThan(4000)
})

test('a card far away gets its values when it is scrolled to, and nothing moves', async () => {
  await renderInConsole(<Resources detail={detailOf(1000)} />)
  await expect.element(headings).toHaveLength(1000)
  card(999).element().scrollIntoView({ block: 'end' })
  await expect.element(card(999).getByText('mail-999.example.com')).toBeInViewport()
  card(500).element().scrollIntoView()
  await expect.element(card(500).getByText('mail-500.example.com')).toBeInViewport()
  const { top } = card(500).element().getBoundingClientRect()
  expect(Math.abs(top)).toBeLessThan(2)
})

test('a card in brief is about as high as in full, in a wide window and in a narrow one', async () => {
  for (const [width, height] of [
    [1280, 800],
    [360, 740],
  ] as const) {
    await page.viewport(width, height)
    const screen = await renderInConsole(<Resources detail={detailOf(1000)} />)
    await expect.element(headings).toHaveLength(1000)
    const [full, brief] = [card(0), card(900)].map((one) => one.element().getBoundingClientRect().height)
    expect(Math.abs((full ?? 0) / (brief ?? 1) - 1)).toBeLessThan(0.1)
    await screen.unmount()
  }
})

test('the keyboard reaches the cards one after the other', async () => {
  await renderInConsole(<Resources detail={detailOf(1000)} />)
  await expect.element(headings).toHaveLength(1000)
  search.element().focus()
  const cards: (string | null | undefined)[] = []
  while (cards.length < 60) {
    await userEvent.tab()
    if (focusedCard() !== cards.at(-1)) cards.push(focusedCard())
  }
  expect(cards).toEqual(Array.from({ length: 60 }, (_, index) => `Module ${digits(index)}`))
})

test('the search finds names, properties and values of all cards', async () => {
  await renderInConsole(<Resources detail={detailOf(1000)} />)
  for (const [q, index] of [
    ['MODULE/module-812', 812],
    ['odd port', 700],
    ['MAIL-934.', 934],
  ] as const) {
    await search.fill(q)
    await expect.element(headings).toHaveLength(1)
    await expect.element(card(index).getByText(`mail-${index}.example.com`)).toBeVisible()
    await expect.element(page.getByRole('status')).toHaveTextContent('1 of 1,000 resources')
  }
  await search.fill('not there')
  await expect.element(page.getByText('No matches')).toBeVisible()
  await page.getByText('Clear search').click()
  await expect.element(headings).toHaveLength(1000)
})

test('thirty Modules are rendered whole, without a search', async () => {
  await renderInConsole(<Resources detail={detailOf(30)} />)
  for (const index of [0, 29])
    await expect.element(card(index).getByText(`mail-${index}.example.com`)).toBeInTheDocument()
  await expect.element(search).not.toBeInTheDocument()
})

test('an object or a list of objects has a line for each leaf, named by the titles of its schema', async () => {
  const address = {
    type: 'object',
    title: 'Address',
    properties: { city: { type: 'string', title: 'City' }, country: { type: 'string', title: 'Country' } },
  }
  const resource: InstalledResource = {
    ...module(1),
    properties: {
      issuer: wrapData({ name: 'Northwind', address: { city: 'Kiel', country: 'DE' } }),
      rates: wrapData([{ code: 'DE', rate: 19 }]),
      days: wrapData([7, 14]),
    },
    definitions: {
      issuer: {
        kind: 'DATA',
        schema: {
          type: 'object',
          title: 'Issuer',
          properties: { name: { type: 'string', title: 'Legal name' }, address },
        },
      },
      rates: {
        kind: 'DATA',
        schema: {
          type: 'array',
          title: 'Rates',
          items: {
            type: 'object',
            properties: { code: { type: 'string' }, rate: { type: 'number', title: 'Percent' } },
          },
        },
      },
      days: { kind: 'DATA', schema: { type: 'array', title: 'Days', items: { type: 'integer' } } },
    },
  }
  await renderInConsole(<Resources detail={{ ...installationDetail, resources: [resource] }} />)
  const lines = page.getByRole('listitem')
  await expect.element(lines.getByText('Northwind')).toBeVisible()
  const texts = lines.elements().map(({ textContent }) => textContent)
  expect(texts.some((text) => /Legal name.*Northwind/.test(text))).toBe(true)
  expect(texts.some((text) => /Address › City.*Kiel/.test(text))).toBe(true)
  expect(texts.some((text) => /DE › Percent.*19/.test(text))).toBe(true)
  // each item of a list of numbers is on its own
  expect(texts).toEqual(expect.arrayContaining(['7', '14']))
  expect(document.body.textContent).not.toContain('{')
})
