import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'

const url = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

/** Runs a program that says `ready` when it may be told to end; answers how it ended and what it said. */
async function run(body: string, options: { signal?: NodeJS.Signals; env?: NodeJS.ProcessEnv } = {}) {
  const script = `import { runProgram } from ${url('program.ts')}
    import { SettingsError } from ${url('settings.ts')}
    import { setTimeout as sleep } from 'node:timers/promises'
    const forEver = setInterval(() => {}, 1000)
    await runProgram(async (program) => { ${body} })`
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  let complained = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('ready') && options.signal !== undefined) child.kill(options.signal)
    said += text.replaceAll('ready\n', '')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (complained += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, said, complained }
}

const say = (text: string) => `console.log(${JSON.stringify(text)})`

describe('a program', () => {
  it('tells in one line why it does not start, and stops what it had started', async () => {
    const ended = await run(`
      program.onStop(async () => ${say('the database stops')})
      throw new SettingsError('PORT is wrong')`)
    assert.deepEqual(ended, { code: 1, said: 'the database stops\n', complained: 'PORT is wrong\n' })
  })

  it('shows the whole error to whoever debugs, and never an empty line', async () => {
    const refused = `throw new AggregateError([new Error('connect ECONNREFUSED ::1:5432')])`
    assert.equal((await run(refused)).complained, 'connect ECONNREFUSED ::1:5432\n')
    assert.match((await run(refused, { env: { LOG_LEVEL: 'debug' } })).complained, /AggregateError[^]* at /)
  })

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops in order at ${signal}, the last first`, async () => {
      const ended = await run(
        `program.onStop(async () => { await sleep(20); ${say('database')} })
         program.onStop(async () => { await sleep(20); ${say('server')} })
         ${say('ready')}`,
        { signal },
      )
      assert.deepEqual(ended, { code: 0, said: 'server\ndatabase\n', complained: '' })
    })
  }

  it('goes on stopping in order when it gets a second SIGTERM', async () => {
    const ended = await run(
      `program.onStop(async () => {
         await sleep(20)
         process.kill(process.pid, 'SIGTERM')
         await sleep(50)
         ${say('database')}
       })
       ${say('ready')}`,
      { signal: 'SIGTERM' },
    )
    assert.deepEqual(ended, { code: 0, said: 'database\n', complained: '' })
  })

  it('that is told to end while it starts stops what comes of the start', async () => {
    const ended = await run(
      `${say('ready')}
       await sleep(200)
       program.onStop(async () => ${say('database')})`,
      { signal: 'SIGINT' },
    )
    assert.deepEqual(ended, { code: 0, said: 'database\n', complained: '' })
  })

  it('does not tell of what fails only because it ends', async () => {
    const ended = await run(
      `program.onStop(async () => { void Promise.reject(new Error('cut off')); await sleep(50) })
       ${say('ready')}`,
      { signal: 'SIGINT' },
    )
    assert.deepEqual(ended, { code: 0, said: '', complained: '' })
  })

  it('ends with 1 after an error that nobody caught, and when something could not be stopped', async () => {
    const uncaught = await run(`
      program.onStop(async () => ${say('database')})
      setTimeout(() => { throw new Error('nobody expected this') }, 10)`)
    assert.deepEqual(uncaught, { code: 1, said: 'database\n', complained: 'nobody expected this\n' })
    const stuck = await run(
      `program.onStop(async () => ${say('database')})
       program.onStop(async () => { throw new Error('it does not stop') })
       program.end(0)`,
    )
    assert.deepEqual(stuck, { code: 1, said: 'database\n', complained: 'it does not stop\n' })
  })
})
