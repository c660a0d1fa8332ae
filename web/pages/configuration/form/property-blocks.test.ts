import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocksOf } from './property-blocks.ts'

const names = Array.from({ length: 200 }, (_, index) => `property${index}`)

/** The key of the block of each property. */
const keys = (properties: readonly string[]) =>
  new Map(
    blocksOf(properties, () => true).flatMap(({ key, properties }) => properties.map((name) => [name, key])),
  )

test('the blocks keep the order of the properties, and are neither too many nor too few', () => {
  const blocks = blocksOf(names, () => true)
  assert.deepEqual(
    blocks.flatMap(({ properties }) => properties),
    names,
  )
  assert.ok(blocks.length > 10 && blocks.length < 50)
  assert.equal(new Set(blocks.map(({ key }) => key)).size, blocks.length)
})

test('adding or removing a property moves others to a different block only next to it', () => {
  const before = keys(names)
  for (const index of [0, 7, 50, 199]) {
    const [without, added] = [names.toSpliced(index, 1), names.toSpliced(index, 0, `new${index}`)]
    for (const changed of [without, added]) {
      const moved = [...keys(changed)].filter(([name, key]) => before.has(name) && before.get(name) !== key)
      const affected = before.get(names[index] ?? '')
      assert.deepEqual(
        moved.filter(([name]) => before.get(name) !== affected),
        [],
      )
    }
  }
})

test('hiding properties with the filter leaves the others in their blocks', () => {
  const shown = blocksOf(names, (name) => !name.endsWith('7'))
  const before = keys(names)
  assert.ok(shown.every(({ key, properties }) => properties.every((name) => before.get(name) === key)))
  assert.equal(shown.flatMap(({ properties }) => properties).length, 180)
  assert.deepEqual(
    blocksOf(names, () => false),
    [],
  )
})
