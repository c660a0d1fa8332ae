import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { readTogether } from './read-together.ts'

interface Statement {
  keys: readonly string[]
  end: (found: Map<string, string>) => void
  fail: (error: Error) => void
}

function statements(limits: { concurrency: number; most: number }) {
  const started: Statement[] = []
  const read = readTogether<string, string>({
    ...limits,
    identify: (key) => key,
    read: (keys) => new Promise((end, fail) => started.push({ keys, end, fail })),
  })
  const answer = async (index: number) => {
    const { keys = [], end } = started[index] ?? {}
    end?.(new Map(keys.map((key) => [key, `found ${key}`])))
    await turn()
  }
  return { started, read, answer }
}

test('callers that wait share the next statement, and equal keys are read once', async () => {
  const { started, read, answer } = statements({ concurrency: 1, most: 10 })
  const all = Promise.all(['a', 'b', 'c', 'b'].map(read))
  assert.deepEqual(
    started.map(({ keys }) => keys),
    [['a']],
  )
  await answer(0)
  assert.deepEqual(started[1]?.keys, ['b', 'c'])
  await answer(1)
  assert.deepEqual(await all, ['found a', 'found b', 'found c', 'found b'])
})

test('a caller is never answered from a statement that had started before', async () => {
  const { started, read, answer } = statements({ concurrency: 1, most: 10 })
  const first = read('a')
  const second = read('a')
  await answer(0)
  assert.equal(await first, 'found a')
  assert.equal(started.length, 2)
  await answer(1)
  assert.equal(await second, 'found a')
})

test('no statement has more keys than allowed, and no more run at a time', async () => {
  const { started, read, answer } = statements({ concurrency: 2, most: 2 })
  const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(read))
  assert.equal(started.length, 2)
  for (const index of [0, 1, 2, 3]) await answer(index)
  assert.deepEqual(
    started.map(({ keys }) => keys),
    [['a'], ['b'], ['c', 'd'], ['e']],
  )
  assert.equal((await all).length, 5)
})

test('what is not found is undefined, and a failed statement fails its callers only', async () => {
  const { started, read } = statements({ concurrency: 1, most: 10 })
  const first = read('a')
  const others = Promise.allSettled([read('b'), read('c')])
  started[0]?.end(new Map())
  assert.equal(await first, undefined)
  await turn()
  started[1]?.fail(new Error('away'))
  assert.deepEqual(
    (await others).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  const next = read('d')
  started[2]?.end(new Map([['d', 'found']]))
  assert.equal(await next, 'found')
})
