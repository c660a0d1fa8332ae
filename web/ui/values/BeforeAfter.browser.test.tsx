import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { wrapData } from '#contract/protocol/data.ts'
import { renderInConsole } from '../../testing/render.tsx'
import { BeforeAfter } from './BeforeAfter.tsx'

const changeOf = (before: unknown, after: unknown) => ({
  id: 'value',
  name: 'Value',
  before: wrapData(before as string),
  after: wrapData(after as string),
})

const marks = () => [...document.querySelectorAll('mark')].map(({ textContent }) => textContent)

test('the part of a text or of JSON that differs is marked, and nothing of different values', async () => {
  const { rerender } = await renderInConsole(
    <BeforeAfter label="Changes" changes={[changeOf('smtp.example.com', 'smtp.elsewhere.example.com')]} />,
  )
  await expect.element(page.getByText('smtp.elsewhere.example.com')).toBeVisible()
  expect(marks()).toEqual(['example', 'elsewhere.example'])

  await rerender(
    <BeforeAfter label="Changes" changes={[changeOf({ host: 'a', port: 25 }, { host: 'a', port: 587 })]} />,
  )
  await expect.poll(marks).toEqual(['25', '587'])

  await rerender(<BeforeAfter label="Changes" changes={[changeOf(30, 14)]} />)
  await expect.poll(marks).toEqual([])
})

test('characters that would show a value in another order are escaped', async () => {
  await renderInConsole(<BeforeAfter label="Changes" changes={[changeOf('plain', 'a\u202Eb')]} />)
  await expect.element(page.getByText('a\\u202eb')).toBeVisible()
})

test('of a long text, the part that differs is shown', async () => {
  const start = 'same '.repeat(100)
  await renderInConsole(
    <BeforeAfter label="Changes" changes={[changeOf(`${start}old end`, `${start}new end`)]} />,
  )
  await expect.poll(marks).toEqual(['old', 'new'])
  await page.getByRole('button', { name: 'Show all' }).first().click()
  await expect.element(page.getByText(`${start}old end`)).toBeVisible()
})
