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

/** What both sides show, signs in brackets. */
const sides = () =>
  [...document.querySelectorAll('.mono.whitespace-pre-wrap')].map((side) => {
    const copy = side.cloneNode(true) as HTMLElement
    for (const unseen of copy.querySelectorAll<HTMLElement>('.unseen'))
      unseen.textContent = `[${unseen.dataset['sign']}]`
    return copy.textContent
  })

const looks: [before: unknown, after: unknown, shown: [string, string]][] = [
  ['plain', 'a\u202eb', ['plain', 'a[U+202E]b']],
  ['one two', 'one\u00a0two', ['one[·]two', 'one[U+00A0]two']],
  ['one two', 'one\ntwo', ['one two', 'one[↵]two']],
  ['one\r\ntwo', 'one\ntwo', ['one[CR][↵]two', 'one[↵]two']],
  ['one', 'one\n', ['one', 'one[↵]']],
  ['one', 'o\u200bne', ['one', 'o[U+200B]ne']],
  ['one ', 'one  ', ['one[·]', 'one[·][·]']],
  ['on\te', 'on    e', ['on[⇥]e', 'on[····]e']],
  ['caf\u00e9 au lait', 'cafe\u0301 au lait', ['caf\u00e9[U+00E9] au lait', 'cafe\u0301[U+0301] au lait']],
  ['--port 80', '\u2013-port 80', ['--port 80', '\u2013[U+2013]-port 80']],
  [30, '30', ['30', '"30"']],
  [null, 'null', ['null', '"null"']],
  [{ key: 'a b' }, { key: 'a\u00a0b' }, ['{ "key": "a[·]b" }', '{ "key": "a[U+00A0]b" }']],
  [['a\\nb'], ['a\nb'], ['[ "a\\\\nb" ]', '[ "a\\nb" ]']],
]
for (const [before, after, shown] of looks)
  test(`different values never look the same: ${JSON.stringify([before, after])}`, async () => {
    await renderInConsole(<BeforeAfter label="Changes" changes={[changeOf(before, after)]} />)
    await expect.poll(sides).toEqual(shown)
  })

test('signs are no part of a copied value, and change no direction', async () => {
  await renderInConsole(<BeforeAfter label="Changes" changes={[changeOf('old', ' a\u202eb\u00a0c\td')]} />)
  const [, side] = document.querySelectorAll('.mono.whitespace-pre-wrap')
  if (side === undefined) throw new Error('there are two')
  getSelection()?.selectAllChildren(side)
  expect(getSelection()?.toString()).toBe(' a\u202eb\u00a0c\td')
  const sign = side.querySelector('[data-sign="U+202E"]')
  expect(getComputedStyle(sign as Element).unicodeBidi).toBe('isolate')
  const right = (text: string) => {
    const node = [...side.childNodes].find(({ textContent }) => textContent === text) as Node
    const range = document.createRange()
    range.selectNodeContents(node)
    return range.getBoundingClientRect().right
  }
  expect(right('a')).toBeLessThan(right('b'))
  expect(right('b')).toBeLessThan(right('c'))
})

test('a text of several lines is shown with the end of each line', async () => {
  await renderInConsole(<BeforeAfter label="Changes" changes={[changeOf('one', 'one\ntwo\n')]} />)
  const side = page.getByText('one\ntwo')
  await expect.element(side).toBeVisible()
  const { height } = side.element().getBoundingClientRect()
  await page.getByRole('button', { name: 'Show all' }).click()
  expect(side.element().getBoundingClientRect().height).toBeGreaterThan(height)
  expect(sides()).toEqual(['one', 'one[↵]two[↵]'])
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
