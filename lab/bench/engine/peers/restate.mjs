import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { serve, service } from '@restatedev/restate-sdk'
import { Pool } from 'undici'
import { CONCURRENCY, poster } from './work.mjs'

const PROGRAM = `@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`

/**
 * A handler of two durable steps. One node with its default settings, so each entry of its journal is synced to the disk; on
 * loopback, without telemetry. It has its own journal instead of PostgreSQL, so commits are not counted. Creating an
 * invocation is part of running it, `CONCURRENCY` at a time.
 */
export function createEngine({ pluginUrl }) {
  const post = poster(pluginUrl)
  const directory = mkdtempSync(join(tmpdir(), 'bench-restate-'))
  const calls = service({
    name: 'calls',
    handlers: {
      both: async (context) => {
        const before = await context.run('before', () => post('BEFORE_RESOURCES'))
        const after = await context.run('after', () => post('AFTER_RESOURCES'))
        return { before, after }
      },
    },
  })
  const stopping = new AbortController()
  const loops = []
  let stored = 0
  let server
  let ingress
  const runOne = async () => {
    const { statusCode, body } = await ingress.request({ method: 'POST', path: '/calls/both' })
    const answer = await body.json()
    if (statusCode !== 200 || answer.after === undefined)
      throw new Error(`Restate responded with ${statusCode}`)
    stored++
  }
  return {
    async prepare() {
      const [node, admin, entry, handlers] = await Promise.all([
        freePort(),
        freePort(),
        freePort(),
        freePort(),
      ])
      // its default logger writes a line for each step
      await serve({ services: [calls], port: handlers, logger: () => {} })
      const settings = {
        RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
        RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
        RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${entry}`,
        RESTATE_LISTEN_MODE: 'tcp',
        RESTATE_DISABLE_TELEMETRY: 'true',
        RESTATE_LOG_FILTER: 'error',
        DO_NOT_TRACK: '1',
      }
      const program = fileURLToPath(new URL(`node_modules/${PROGRAM}`, import.meta.url))
      server = spawn(program, ['--base-dir', directory, '--no-logo'], {
        env: { ...process.env, ...settings },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      ingress = new Pool(`http://127.0.0.1:${entry}`, { connections: CONCURRENCY })
      const control = new Pool(`http://127.0.0.1:${admin}`)
      await eventually(async () => {
        const { statusCode } = await control.request({
          method: 'POST',
          path: '/deployments',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ uri: `http://127.0.0.1:${handlers}` }),
        })
        if (statusCode >= 300) throw new Error(`Restate did not register its handlers: ${statusCode}`)
      })
      await eventually(runOne)
      stored = 0
    },
    async start(onDone) {
      const loop = async () => {
        while (!stopping.signal.aborted) {
          await runOne()
          onDone()
        }
      }
      for (let index = 0; index < CONCURRENCY; index++) loops.push(loop())
    },
    runOne,
    countStored: async () => stored,
    async stop() {
      stopping.abort()
      await Promise.all(loops)
      server.kill('SIGKILL')
      await once(server, 'exit')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  return port
}

async function eventually(what) {
  for (let tries = 0; ; tries++) {
    try {
      return await what()
    } catch (error) {
      if (tries > 300) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}
