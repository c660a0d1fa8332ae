import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { EventTooLargeError, readEventSource } from './runtime-events.ts'
import type { SourcedEvent } from './runtime-events.ts'

async function* inChunks(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readAll(source: AsyncIterable<Uint8Array>): Promise<{ read: SourcedEvent[]; error: unknown }> {
  const read: SourcedEvent[] = []
  try {
    for await (const event of readEventSource(source)) read.push(event)
    return { read, error: null }
  } catch (error) {
    return { read, error }
  }
}

const STREAM = ': connected\n\nid: 7-1\n\nid: 7-2\nevent: operation\ndata: {"é":\ndata: 1}\n\ndata: x\n\n'
const READ: SourcedEvent[] = [
  { kind: 'comment' },
  { kind: 'position', id: '7-1' },
  { kind: 'event', id: '7-2', event: 'operation', data: '{"é":\n1}' },
  { kind: 'event', id: '', event: 'message', data: 'x' },
]

describe('reading an event stream', () => {
  for (const [name, text] of [
    ['LF', STREAM],
    ['CRLF', STREAM.replaceAll('\n', '\r\n')],
  ] as const) {
    it(`yields the same events in chunks of any size, with ${name}`, async () => {
      for (const size of [1, 2, 3, 7, 64, 4096])
        assert.deepEqual(await readAll(inChunks(text, size)), { read: READ, error: null })
    })
  }

  it('drops an event that is cut off', async () => {
    const { read } = await readAll(inChunks('id: 7-1\n\nid: 7-2\ndata: {"half"', 5))
    assert.deepEqual(read, [{ kind: 'position', id: '7-1' }])
  })

  it('yields the events before one that is too large, then fails', async () => {
    const large = `id: 7-1\n\nid: 7-2\ndata: ${'x'.repeat(1_200_000)}\n\nid: 7-3\n\n`
    const { read, error } = await readAll(inChunks(large, 16_384))
    assert.deepEqual(read, [{ kind: 'position', id: '7-1' }])
    assert.ok(error instanceof EventTooLargeError)
  })

  it('reads any number of events, even if they are too large together', async () => {
    const many = `data: ${'x'.repeat(100_000)}\n\n`.repeat(30)
    const { read, error } = await readAll(inChunks(many, 16_384))
    assert.equal(read.length, 30)
    assert.equal(error, null)
  })
})
