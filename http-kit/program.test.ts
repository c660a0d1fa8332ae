import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { isDiskFull } from './program.ts'

const url = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)

/** Runs a program that prints `ready` when it may be signalled; returns its exit code and output. */
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
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('ready') && options.signal !== undefined) child.kill(options.signal)
    stdout += text.replaceAll('ready\n', '')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, stdout, stderr }
}

const say = (text: string) => `console.log(${JSON.stringify(text)})`

describe('a program', () => {
  it('prints in one line why it does not start, and stops what it had started', async () => {
    const ended = await run(`
      program.onStop(async () => ${say('the database stops')})
      throw new SettingsError('PORT is wrong')`)
    assert.deepEqual(ended, { code: 1, stdout: 'the database stops\n', stderr: 'PORT is wrong\n' })
  })

  it('prints the whole error at log level debug, and never an empty line', async () => {
    const refused = `throw new AggregateError([new Error('connect ECONNREFUSED ::1:5432')])`
    assert.equal((await run(refused)).stderr, 'connect ECONNREFUSED ::1:5432\n')
    assert.match((await run(refused, { env: { LOG_LEVEL: 'debug' } })).stderr, /AggregateError[^]* at /)
  })

  it(
    'has threads for other names while some are looked up that nobody answers (E07)',
    { skip: process.platform !== 'linux' },
    async () => {
      const ended = await run(
        `const { readdirSync, promises } = await import('node:fs')
         const count = () => readdirSync('/proc/self/task').length
         const before = count()
         await promises.stat('.')
         console.log(count() - before)
         program.end(0)`,
        { env: { UV_THREADPOOL_SIZE: undefined } },
      )
      assert.deepEqual(ended, { code: 0, stdout: '16\n', stderr: '' })
    },
  )

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    it(`stops in reverse order on ${signal}`, async () => {
      const ended = await run(
        `program.onStop(async () => { await sleep(20); ${say('database')} })
         program.onStop(async () => { await sleep(20); ${say('server')} })
         ${say('ready')}`,
        { signal },
      )
      assert.deepEqual(ended, { code: 0, stdout: 'server\ndatabase\n', stderr: '' })
    })
  }

  it('exits immediately after a second SIGINT, and not without its exit handlers', async () => {
    const ended = await run(
      `process.on('exit', () => ${say('what it started is killed')})
       program.onStop(async () => {
         process.kill(process.pid, 'SIGINT')
         await sleep(10_000)
         ${say('database')}
       })
       ${say('ready')}`,
      { signal: 'SIGINT' },
    )
    assert.deepEqual(ended, { code: 130, stdout: 'what it started is killed\n', stderr: '' })
  })

  it('continues an orderly stop after a second SIGTERM', async () => {
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
    assert.deepEqual(ended, { code: 0, stdout: 'database\n', stderr: '' })
  })

  it('stops what it starts when it is signalled during the start', async () => {
    const ended = await run(
      `${say('ready')}
       await sleep(200)
       program.onStop(async () => ${say('database')})`,
      { signal: 'SIGINT' },
    )
    assert.deepEqual(ended, { code: 0, stdout: 'database\n', stderr: '' })
  })

  it('does not report failures that the stop causes', async () => {
    const ended = await run(
      `program.onStop(async () => { void Promise.reject(new Error('cut off')); await sleep(50) })
       ${say('ready')}`,
      { signal: 'SIGINT' },
    )
    assert.deepEqual(ended, { code: 0, stdout: '', stderr: '' })
  })

  it('exits with 1 after an uncaught error, and when something could not be stopped (I04)', async () => {
    const uncaught = await run(`
      program.onStop(async () => ${say('database')})
      setTimeout(() => { throw new Error('unexpected') }, 10)`)
    assert.deepEqual(uncaught, { code: 1, stdout: 'database\n', stderr: 'unexpected\n' })
    const stuck = await run(
      `program.onStop(async () => ${say('database')})
       program.onStop(async () => { throw new Error('it does not stop') })
       program.end(0)`,
    )
    assert.deepEqual(stuck, { code: 1, stdout: 'database\n', stderr: 'it does not stop\n' })
  })
})

describe('isDiskFull', () => {
  it('recognizes codes of the system and of PostgreSQL and messages of programs, also in causes', () => {
    const of = (code: string) => Object.assign(new Error('write failed'), { code })
    const full = [
      of('ENOSPC'),
      of('53100'),
      new Error('FATAL: No space left on device'),
      new Error('x', { cause: of('EDQUOT') }),
    ]
    for (const error of full) assert.ok(isDiskFull(error))
    for (const error of [of('EACCES'), new Error('x', { cause: 'ENOSPC' }), 'ENOSPC', undefined])
      assert.ok(!isDiskFull(error))
  })
})
