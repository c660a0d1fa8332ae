import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createLog } from './log.ts'
import type { LogFields } from './log.ts'

const CANARY = 'canary-0123456789'

function logged(write: (log: ReturnType<typeof createLog>) => void): {
  lines: Record<string, unknown>[]
  text: string
} {
  let text = ''
  const log = createLog({ name: 'test', level: 'info', stream: { write: (line) => (text += line) } })
  log.addSecret(CANARY)
  write(log)
  const lines = text.split('\n').filter((line) => line !== '')
  return { lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>), text }
}

describe('createLog', () => {
  it('writes one JSON object per line, with the fields of the child log (I02, I05)', () => {
    const { lines } = logged((log) => log.child({ requestId: 'r1' }).info('two\nlines %s', { ms: 5 }))
    assert.equal(lines.length, 1)
    assert.deepEqual(
      { ...lines[0], time: 0, level: 0 },
      { level: 0, time: 0, name: 'test', requestId: 'r1', ms: 5, msg: 'two\nlines %s' },
    )
  })

  it('never writes the name of the protected property', () => {
    const name = 'instanceRefProperty'
    const { text, lines } = logged((log) => {
      const error = new Error(`no ${name}`, { cause: new Error(name) })
      log.child({ property: name }).error(`${name} is missing`, { path: `/a/${name}/b` }, error)
    })
    assert.ok(!text.includes(name), text)
    assert.equal(lines[0]?.['msg'], 'a protected property is missing')
  })

  it('masks a known secret everywhere (I02)', () => {
    const { text, lines } = logged((log) => {
      const error = Object.assign(
        new Error(`bad ${CANARY}`, { cause: new Error(Buffer.from(CANARY).toString('base64')) }),
        {
          code: 'E1',
          config: { headers: { Authorization: CANARY } },
        },
      )
      log.child({ token: CANARY }).error(`failed with ${CANARY}`, { url: `https://x/?t=${CANARY}` }, error)
      log.warn('cast', { headers: { a: CANARY }, list: [CANARY] } as unknown as LogFields, CANARY)
    })
    assert.equal(lines.length, 2)
    assert.ok(!text.includes(CANARY) && !text.includes(Buffer.from(CANARY).toString('base64')))
    assert.deepEqual((lines[0]?.error as { code?: string } | undefined)?.code, 'E1')
  })
})
