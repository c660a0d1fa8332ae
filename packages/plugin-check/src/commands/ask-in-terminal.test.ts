import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { UsageError } from '../profile.ts'
import { askInTerminal } from './ask-in-terminal.ts'

const typing = (keys: string) => {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  input.write(keys)
  return askInTerminal('Value: ', input)
}

test('what is typed is the answer', async () => {
  assert.equal(await typing('a plan\r'), 'a plan')
  assert.equal(await askInTerminal('Value: ', new PassThrough()), null)
})

test('Ctrl+C and Ctrl+D instead of an answer are explained in one line', async () => {
  for (const key of ['\u0003', '\u0004'])
    await assert.rejects(typing(key), new UsageError('No value was given, so nothing was sent.'))
})
