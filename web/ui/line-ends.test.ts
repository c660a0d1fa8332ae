import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { afterEdit, countLines, lineEndsOf, withLineFeeds } from './line-ends.ts'

/** Replaces what lies between two positions of a text area, as the browser reports it. */
function edit(before: string, from: number, to: number, inserted: string, isKnown = true) {
  const lines = withLineFeeds(before)
  const start = lines.slice(0, from) + withLineFeeds(inserted)
  return afterEdit(before, {
    text: start + lines.slice(to),
    caret: start.length,
    inserted: isKnown ? inserted : null,
  })
}

test('what an edit leaves alone keeps its line ends', () => {
  assert.equal(edit('a\r\nb\rc\nd', 7, 7, 'x'), 'a\r\nb\rc\ndx')
  assert.equal(edit('a\r\nb\rc\nd', 0, 1, ''), '\r\nb\rc\nd')
  assert.equal(edit('a\r\nb\rc\nd', 1, 2, ''), 'ab\rc\nd')
  // the caret tells equal neighbors apart
  assert.equal(edit('a\r\n\nb', 1, 2, ''), 'a\nb')
  assert.equal(edit('a\r\n\nb', 2, 3, ''), 'a\r\nb')
})

test('a typed line break is like the first one of the text', () => {
  assert.equal(edit('a\r\nb', 3, 3, '\n'), 'a\r\nb\r\n')
  assert.equal(edit('a\nb', 3, 3, '\n'), 'a\nb\n')
  assert.equal(edit('a', 1, 1, '\n'), 'a\n')
  assert.equal(edit('a\r\nb', 3, 3, '\n', false), 'a\r\nb\r\n')
})

test('what is pasted keeps its own line ends', () => {
  assert.equal(edit('', 0, 0, 'a\r\nb\r\n'), 'a\r\nb\r\n')
  assert.equal(edit('x\ny', 1, 2, '1\r\n2\r3'), 'x1\r\n2\r3y')
  // what surrounds it is alike
  assert.equal(edit('a\na\n', 2, 2, 'a\r\n'), 'a\na\r\na\n')
})

const text = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r', '\r\n', '\u2028', '😀'), { maxLength: 12 })
  .map((parts) => parts.join(''))

test('any edit shows what the text area shows, and changes nothing outside of it', () => {
  fc.assert(
    fc.property(text, text, fc.nat(), fc.nat(), (before, inserted, one, other) => {
      const lines = withLineFeeds(before)
      const [from, to] = [one % (lines.length + 1), other % (lines.length + 1)].toSorted((a, b) => a - b)
      if (from === undefined || to === undefined) return
      const shown = lines.slice(0, from) + withLineFeeds(inserted) + lines.slice(to)
      for (const isKnown of [true, false])
        assert.equal(withLineFeeds(edit(before, from, to, inserted, isKnown)), shown)
      // between a CR and an LF the two would become one line end
      if (inserted === '\n' || inserted.endsWith('\r') || inserted.startsWith('\n')) return
      if (from === to) assert.ok(edit(before, from, to, inserted).includes(inserted))
    }),
    { numRuns: 5_000 },
  )
})

test('lines are counted, and line ends are named', () => {
  assert.deepEqual(
    ['', 'a', 'a\n', 'a\nb', 'a\r\nb\r\n', '\n', 'a\rb'].map(countLines),
    [0, 1, 1, 2, 2, 1, 2],
  )
  assert.deepEqual(lineEndsOf('a b'), [])
  assert.deepEqual(lineEndsOf('a\nb'), ['LF'])
  assert.deepEqual(lineEndsOf('a\r\nb\n'), ['CRLF', 'LF'])
  assert.deepEqual(lineEndsOf('a\rb\r\n'), ['CRLF', 'CR'])
})
