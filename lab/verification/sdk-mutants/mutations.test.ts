import assert from 'node:assert/strict'
import { stripTypeScriptTypes } from 'node:module'
import { test } from 'node:test'
import { mutationsOf } from './mutations.ts'

const SOURCE = `export async function settle(call: Call): Promise<string> {
  if (call.sequence < 9 && !call.isLate) throw new Error('late')
  await call.store(true as boolean)
  return call.isDone ? 'APPLIED' : 'UNKNOWN'
}`

test('each mutation is one small mistake at its place, after which the source still parses', () => {
  const found = mutationsOf('settle.ts', SOURCE)
  assert.deepEqual(
    found.map(({ line, from, to }) => `${line} ${from} -> ${to}`),
    [
      '2 call.sequence < 9 && !call.isLate -> true',
      '2 call.sequence < 9 && !call.isLate -> false',
      '2 && -> ||',
      '2 < -> <=',
      '2 9 -> 10',
      '2 ! -> ',
      "2 throw new Error('late') -> ;",
      '3 await call.store(true as boolean) -> ;',
      '3 await  -> ',
      '3 true -> false',
      "4 call.isDone ? 'APPLIED' : 'UNKNOWN' -> undefined",
      '4 call.isDone -> true',
      '4 call.isDone -> false',
      "4 'APPLIED' -> 'VERIFIED'",
      "4 'UNKNOWN' -> 'APPLIED'",
    ],
  )
  for (const { start, end, to } of found)
    stripTypeScriptTypes(SOURCE.slice(0, start) + to + SOURCE.slice(end))
})
