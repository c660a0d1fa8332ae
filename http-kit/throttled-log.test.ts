import assert from 'node:assert/strict'
import { beforeEach, suite, test } from 'node:test'
import type { Log, LogFields } from './log.ts'
import { throttledLog } from './throttled-log.ts'

const away = new Error('connect ECONNREFUSED')

suite('the log of a worker while the database is away', () => {
  let now = 0
  let written: { message: string; fields: LogFields; error?: unknown }[] = []
  let log: Log

  beforeEach(() => {
    now = 0
    written = []
    const write = (message: string, fields: LogFields = {}, error?: unknown) =>
      void written.push({ message, fields, ...(error !== undefined && { error }) })
    const inner: Log = {
      debug: write,
      info: write,
      warn: write,
      error: write,
      child: () => inner,
      addSecret: () => {},
      removeSecret: () => {},
    }
    log = throttledLog(inner, { monotonic: () => now }, (error) => (error === away ? 'it is away' : null))
  })

  test('says so every ten seconds, with how many lines it left out', () => {
    for (; now < 20_001; now += 1_000) {
      log.error('not claimed', {}, away)
      log.warn('not advanced', { operationId: 'a' }, away)
    }
    const reason = 'it is away'
    assert.deepEqual(written, [
      { message: 'not claimed', fields: { reason } },
      { message: 'not claimed', fields: { reason, leftOut: 19 } },
      { message: 'not claimed', fields: { reason, leftOut: 19 } },
    ])
  })

  test('leaves out nothing else', () => {
    for (let times = 0; times < 3; times++) {
      log.error('damaged', { operationId: 'a' }, new Error('a plan is damaged'))
      log.warn('in trouble', { pluginId: 'b' })
      log.info('answers again')
    }
    assert.equal(written.length, 9)
  })
})
