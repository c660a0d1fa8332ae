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

test('the words of a text that differ are marked, and nothing of different values', async () => {
  const { rerender } = await renderInConsole(
    <BeforeAfter label="Changes" changes={[changeOf('smtp.example.com', 'smtp.elsewhere.example.net')]} />,
  )
  await expect.element(page.getByText('smtp.elsewhere.example.net')).toBeVisible()
  await expect.poll(marks).toEqual(['com', 'elsewhere.', 'net'])

  await rerender(<BeforeAfter label="Changes" changes={[changeOf(30, 14)]} />)
  await expect.poll(marks).toEqual([])
})

test('of a structured value each leaf that differs is a line of text, with its place', async () => {
  const before = { host: 'a', port: 25, tls: { on: true }, list: ['x', 'y', 'z'] }
  const after = { host: 'a', port: 587, tls: { on: true, max: '1.3' }, list: ['z', 'x'] }
  await renderInConsole(<BeforeAfter label="Changes" changes={[changeOf(before, after)]} />)
  const lines = page.getByRole('listitem')
  await expect.element(lines).toHaveLength(4)
  expect(lines.elements().map(({ textContent }) => textContent)).toEqual([
    'portBefore: 25After: 587',
    expect.stringMatching(/^tls › max.*added 1\.3$/),
    'list › 2removed y',
    'list › 1moved from position 3 to 1 z',
  ])
})

test('neither side of a comparison is older: both stand under their names', async () => {
  await renderInConsole(
    <BeforeAfter
      label="Differences"
      sides={{ before: 'eu/1', after: 'us/2' }}
      changes={[changeOf('a', 'b'), { ...changeOf({ x: 1 }, { y: [2] }), id: 'second' }]}
    />,
  )
  await expect
    .element(page.getByLabelText('Differences'))
    .toMatchTextContent(/eu\/1: a.*us\/2: b.*x.*eu\/1: 1.*us\/2: not set.*y.*eu\/1: not set.*us\/2: \[ 2 \]/)
  await expect.element(page.getByText('eu/1', { exact: true })).toBeVisible()
  expect(document.querySelector('.bg-fail-tint, .bg-ok-tint')).toBeNull()
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
  ['one', 'o\u200bne', ['one', 'o[U+200B]ne']],
  ['one ', 'one  ', ['one[·]', 'one[··]']],
  ['on\te', 'on    e', ['on[⇥]e', 'on[····]e']],
  ['caf\u00e9 au lait', 'cafe\u0301 au lait', ['caf\u00e9[U+00E9] au lait', 'cafe\u0301[U+0301] au lait']],
  ['--port 80', '\u2013-port 80', ['--port 80', '\u2013[U+2013]-port 80']],
  [30, '30', ['30', '"30"']],
  [null, 'null', ['null', '"null"']],
  [{ key: 'a b' }, { key: 'a\u00a0b' }, ['a b', 'a[U+00A0]b']],
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

/** The lines of a text with their kinds, signs in brackets. */
const lines = () =>
  [...document.querySelectorAll<HTMLElement>('[data-line]')].map((line) => {
    const copy = line.lastElementChild?.cloneNode(true) as HTMLElement
    for (const unseen of copy.querySelectorAll<HTMLElement>('.unseen'))
      unseen.textContent = `[${unseen.dataset['sign']}]`
    return `${line.dataset['line']} ${copy.textContent}`
  })

const texts: [before: string, after: string, shown: string[]][] = [
  ['one two', 'one\ntwo', ['removed one two', 'added one[↵]', 'added two']],
  ['one\r\ntwo', 'one\ntwo', ['removed one[CR↵]', 'added one[↵]', 'same two']],
  ['one', 'one\n', ['removed one', 'added one[↵]']],
  ['one', 'one\ntwo\n', ['removed one', 'added one[↵]', 'added two[↵]']],
]
for (const [before, after, shown] of texts)
  test(`a text of several lines is compared by line, with the ends of lines: ${JSON.stringify(after)}`, async () => {
    await renderInConsole(<BeforeAfter label="Changes" changes={[changeOf(before, after)]} />)
    await expect.poll(lines).toEqual(shown)
  })

test('of a long text, what is near a change is shown, and the rest on demand', async () => {
  const many = Array.from({ length: 20 }, (_, index) => `line ${index}`)
  await renderInConsole(
    <BeforeAfter
      label="Changes"
      changes={[changeOf(many.join('\n'), many.with(10, 'line ten').join('\n'))]}
    />,
  )
  await expect
    .poll(lines)
    .toEqual([
      'same line 8[↵]',
      'same line 9[↵]',
      'removed line 10[↵]',
      'added line ten[↵]',
      'same line 11[↵]',
      'same line 12[↵]',
    ])
  expect(marks()).toEqual(['10', 'ten'])
  await expect.element(page.getByText('Removed line', { exact: false })).toBeInTheDocument()
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect.poll(() => lines().length).toBe(21)
})

test('of a long line, the words that differ are shown with what is around them', async () => {
  const start = 'same '.repeat(100)
  await renderInConsole(
    <BeforeAfter label="Changes" changes={[changeOf(`${start}old end`, `${start}new end`)]} />,
  )
  await expect.poll(marks).toEqual(['old', 'new'])
  expect(lines().every((line) => line.length < 120)).toBe(true)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect.element(page.getByText(`${start}old end`.trim())).toBeVisible()
})

test('of texts with very many lines, the change is shown, and what is far from it on demand as one element', async () => {
  const many = Array.from({ length: 20_000 }, (_, index) =>
    index === 5_001 ? 'host\u202e\n' : `host ${index}\n`,
  )
  const lines = () => document.querySelectorAll('[data-line]').length
  const { rerender } = await renderInConsole(
    <BeforeAfter
      label="Changes"
      changes={[changeOf(many.join(''), many.with(9_000, 'host x\n').join(''))]}
    />,
  )
  await expect.poll(marks).toEqual(['9000', 'x'])
  // both sides, and two lines before and after
  expect(lines()).toBe(6)
  await page.getByRole('button', { name: 'Show all' }).click()
  await expect.poll(lines).toBe(2 + 2 * 41)
  await expect.element(page.getByText(/host 5000\nhost.*\nhost 5002/)).toBeVisible()
  expect(document.querySelectorAll('[data-sign="U+202E"]')).toHaveLength(1)

  const others = many.map((host) => `other ${host}`)
  await rerender(<BeforeAfter label="Changes" changes={[changeOf(many.join(''), others.join(''))]} />)
  await page.getByRole('button', { name: 'Show less' }).click()
  await expect.poll(lines).toBe(2 * 40)
})

test('of very many changes and references the first are shown, and more of them on demand', async () => {
  const reference = (index: number) => ({
    '@type': 'ServiceReference' as const,
    serviceId: `service-${index}`,
  })
  const list = (length: number) => ({
    '@type': 'ServiceReferenceList' as const,
    valueList: Array.from({ length }, (_, index) => reference(index)),
  })
  const many = Array.from({ length: 1_300 }, (_, index) => ({ ...changeOf('a', 'b'), id: `value-${index}` }))
  const count = (of: string) => document.querySelectorAll(of).length
  const { rerender } = await renderInConsole(<BeforeAfter label="Changes" changes={many} />)
  await expect.poll(() => count('dt')).toBe(200)
  await page.getByRole('button', { name: 'Show 1,100 more' }).click()
  await expect.poll(() => count('dt')).toBe(1_200)
  await page.getByRole('button', { name: 'Show 100 more' }).click()
  await expect.poll(() => count('dt')).toBe(1_300)
  await page.getByRole('button', { name: 'Show less' }).click()
  await expect.poll(() => count('dt')).toBe(200)
  await rerender(
    <BeforeAfter label="Changes" changes={[{ id: 'list', name: 'List', before: null, after: list(500) }]} />,
  )
  await expect.poll(() => count('dd li')).toBe(20)
  await page.getByRole('button', { name: 'Show 480 more' }).click()
  await expect.poll(() => count('dd li')).toBe(500)
})
