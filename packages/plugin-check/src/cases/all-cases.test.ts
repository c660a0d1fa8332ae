import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DEFECTS } from '../../testing/defects.ts'
import { CASES } from './all-cases.ts'

const protocol = readFileSync(new URL('../../../../docs/protocol.md', import.meta.url), 'utf8')
const anchors = new Set(
  [...protocol.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  ),
)

test('there are at least 90 cases, and at least 55 about behaviour', () => {
  assert.ok(CASES.length >= 90)
  assert.ok(CASES.filter(({ kind }) => kind === 'behaviour').length >= 55)
})

test('ids are unique, and every case cites a section of the protocol', () => {
  assert.equal(new Set(CASES.map(({ id }) => id)).size, CASES.length)
  for (const { id, rule } of CASES) assert.ok(anchors.has(rule), `${id} cites #${rule}`)
})

test('the cases that defects name exist', () => {
  const isKnown = (name: string): boolean =>
    name === '*' || CASES.some(({ id }) => id === name || id.startsWith(`${name}.`))
  for (const [defect, { own, related }] of Object.entries(DEFECTS))
    for (const name of [own, ...related]) assert.ok(isKnown(name), `${defect} names ${name}`)
})
