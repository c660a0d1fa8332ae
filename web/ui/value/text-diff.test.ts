import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { lineDiff, wordSpans } from './text-diff.ts'

/** What is marked on both sides. */
const marks = (before: string, after: string) => {
  const spans = wordSpans(before, after)
  const marked = (text: string, side: typeof spans.before) =>
    side.filter(({ isChanged }) => isChanged).map(({ from, to }) => text.slice(from, to))
  return [marked(before, spans.before), marked(after, spans.after)]
}

test('whole words are marked, each where it is, and what two texts have in common is not', () => {
  assert.deepEqual(marks('tenant a is locked', 'tenant bc is locked'), [['a'], ['bc']])
  assert.deepEqual(marks('one two three four', 'one 2 three 4'), [
    ['two', 'four'],
    ['2', '4'],
  ])
  assert.deepEqual(marks('smtp.example.com', 'smtp.elsewhere.example.com'), [[], ['elsewhere.']])
  assert.deepEqual(marks('端口为二五号', '端口为八五号'), [['二'], ['八']])
  assert.deepEqual(marks('text 😀 end', 'text 😁 end'), [['😀'], ['😁']])
  assert.deepEqual(marks('one', 'two'), [[], []])
})

test('lines are removed and added as such, and a changed line has its words', () => {
  const shown = (before: string, after: string) =>
    lineDiff(before, after).map(({ kind, text, spans }) => [
      kind,
      text,
      ...(spans?.filter(({ isChanged }) => isChanged).map(({ from, to }) => text.slice(from, to)) ?? []),
    ])
  assert.deepEqual(shown('a\nport is 25\nc\n', 'a\nport is 587\nc\nd\n'), [
    ['same', 'a\n'],
    ['removed', 'port is 25\n', '25'],
    ['added', 'port is 587\n', '587'],
    ['same', 'c\n'],
    ['added', 'd\n'],
  ])
  assert.deepEqual(shown('one', 'one\n'), [
    ['removed', 'one'],
    ['added', 'one\n', '\n'],
  ])
  assert.deepEqual(shown('abc\r\nb', 'abc\nb'), [
    ['removed', 'abc\r\n', '\r\n'],
    ['added', 'abc\n', '\n'],
    ['same', 'b'],
  ])
})

test('of two texts with very many differences none is marked, and all lines have changed', () => {
  const numbers = (from: number) => Array.from({ length: 600 }, (_, index) => `same ${from + index}`)
  const [before, after] = [numbers(0), numbers(10_000)]
  assert.deepEqual(marks(before.join(' '), after.join(' ')), [[], []])
  assert.deepEqual(
    lineDiff(before.join('\n'), after.join('\n')).map(({ kind }) => kind),
    [...before.map(() => 'removed'), ...after.map(() => 'added')],
  )
})

test('of very many changed lines, the words that differ are marked only where they are few', () => {
  const line = (word: string, n: number) =>
    `${Array.from({ length: 80 }, (_, index) => (index % 2 === 0 ? 'same' : `${word}${n}`)).join(' ')}\n`
  const marked = (count: number, change: (n: number) => string) => {
    const lines = Array.from({ length: count }, (_, n) => line('a', n))
    return lineDiff(lines.join(''), lines.map((_, n) => change(n)).join('')).filter(({ spans }) =>
      spans?.some(({ isChanged }) => isChanged),
    ).length
  }
  const manyWords = (n: number) => line('b', n)
  const oneWord = (n: number) => line('a', n).replace('same', 'other')
  assert.deepEqual([marked(2, manyWords), marked(200, manyWords), marked(200, oneWord)], [4, 0, 400])
})

test('one changed line among very many is found, and what is far from it is one', () => {
  const many = Array.from({ length: 200_000 }, (_, index) => `host ${index}\n`)
  const shown = (after: string[]) =>
    lineDiff(many.join(''), after.join(''))
      .filter(({ kind, isRest }) => kind !== 'same' || isRest)
      .map(({ kind, text, isRest }) => [kind, isRest ? '…' : text])
  assert.deepEqual(shown(many.with(100_000, 'changed\n')), [
    ['same', '…'],
    ['removed', 'host 100000\n'],
    ['added', 'changed\n'],
    ['same', '…'],
  ])
  assert.deepEqual(shown([...many, 'b']), [
    ['same', '…'],
    ['added', 'b'],
  ])
  const ends = [...many.slice(0, 20), '…', ...many.slice(-20)]
  const isRemoved = ends.map((text) => ['removed', text])
  assert.deepEqual(shown(many.map((text) => `new ${text}`)), [
    ...isRemoved,
    ...ends.map((text) => ['added', text === '…' ? text : `new ${text}`]),
  ])
  assert.deepEqual(shown(many.toSpliced(100_000, 600)), [
    ['same', '…'],
    ...many.slice(100_000, 100_600).map((text) => ['removed', text]),
    ['same', '…'],
  ])
  assert.deepEqual(shown(['a\n', 'b']), [...isRemoved, ['added', 'a\n'], ['added', 'b']])
})

test('the parts of each side make its text', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '\r', '端', '😀', '.') })
  fc.assert(
    fc.property(text, text, (before, after) => {
      const spans = wordSpans(before, after)
      const whole = (of: string, side: typeof spans.before) =>
        side.map(({ from, to }) => of.slice(from, to)).join('')
      assert.equal(whole(before, spans.before), before)
      assert.equal(whole(after, spans.after), after)
      const lines = lineDiff(before, after)
      const side = (not: string) => lines.filter(({ kind }) => kind !== not).map((line) => line.text)
      assert.equal(side('added').join(''), before)
      assert.equal(side('removed').join(''), after)
    }),
  )
})
