import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shrink } from './shrink.ts'
import { stepsOf } from './steps.ts'

test('shrinking leaves the steps that the failure needs', async () => {
  const steps = Array.from({ length: 30 }, (_, index) => index)
  const fails = async (left: readonly number[]) => left.includes(4) && left.includes(19)
  assert.deepEqual(await shrink(steps, fails), [4, 19])
})

test('shrinking stops after the given number of tries', async () => {
  let tries = 0
  const steps = Array.from({ length: 30 }, (_, index) => index)
  const left = await shrink(
    steps,
    async () => {
      tries += 1
      return false
    },
    5,
  )
  assert.deepEqual([tries, left], [5, steps])
})

test('a seed gives the same steps every time, and another seed gives others', () => {
  assert.deepEqual(stepsOf(7), stepsOf(7))
  assert.notDeepEqual(stepsOf(7), stepsOf(8))
})
