import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { readTogether } from './read-together.ts'

interface Statement {
  keys: readonly string[]
  end: (found: Map<string, string>) => void
  fail: (error: Error) => void
}

function statements(limits: { concurrency: number; most: number; intervalMs?: number }) {
  const started: Statement[] = []
  const read = readTogether<string, string>({
    intervalMs: 0,
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

test('callers of one turn share a statement, and equal keys are read once', async () => {
  const { started, read, answer } = statements({ concurrency: 1, most: 10 })
  const all = Promise.all(['a', 'b', 'c', 'b'].map(read))
  await turn()
  assert.deepEqual(started[0]?.keys, ['a', 'b', 'c'])
  await answer(0)
  assert.deepEqual(await all, ['found a', 'found b', 'found c', 'found b'])
  assert.equal(started.length, 1)
})

test('callers that arrive meanwhile share the next one, and none is answered from one that had started', async () => {
  const { started, read, answer } = statements({ concurrency: 1, most: 10 })
  const first = read('a')
  await turn()
  const later = Promise.all([read('a'), read('b')])
  await turn()
  assert.deepEqual(
    started.map(({ keys }) => keys),
    [['a']],
  )
  await answer(0)
  assert.equal(await first, 'found a')
  await turn()
  assert.deepEqual(started[1]?.keys, ['a', 'b'])
  await answer(1)
  assert.deepEqual(await later, ['found a', 'found b'])
})

test('no statement has more keys than allowed, and no more run at a time', async () => {
  const { started, read, answer } = statements({ concurrency: 2, most: 2 })
  const all = Promise.all(['a', 'b', 'c', 'd', 'e'].map(read))
  await turn()
  await turn()
  assert.deepEqual(
    started.map(({ keys }) => keys),
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  )
  await answer(0)
  await turn()
  assert.deepEqual(started[2]?.keys, ['e'])
  await answer(1)
  await answer(2)
  assert.equal((await all).length, 5)
})

test('a statement that follows another at once waits for more callers, and a lone one does not', async () => {
  const { started, read, answer } = statements({ concurrency: 2, most: 10, intervalMs: 50 })
  const first = read('a')
  await turn()
  const later = [read('b')]
  await turn()
  assert.equal(started.length, 1)
  later.push(read('c'))
  await wait(60)
  assert.deepEqual(started[1]?.keys, ['b', 'c'])
  await answer(0)
  await answer(1)
  assert.deepEqual(await Promise.all([first, ...later]), ['found a', 'found b', 'found c'])
})

test('what is not found is undefined, and a failed statement fails its callers only', async () => {
  const { started, read } = statements({ concurrency: 1, most: 10 })
  const first = read('a')
  await turn()
  const others = Promise.allSettled([read('b'), read('c')])
  started[0]?.end(new Map())
  assert.equal(await first, undefined)
  await turn()
  await turn()
  started[1]?.fail(new Error('away'))
  assert.deepEqual(
    (await others).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  const next = read('d')
  await turn()
  await turn()
  started[2]?.end(new Map([['d', 'found']]))
  assert.equal(await next, 'found')
})
