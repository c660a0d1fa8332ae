import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '#database/free-port.ts'
import { testCertificate } from '#http-kit/testing-certificates.ts'
import { root } from '../../scripts/process.ts'

// The sample configurations of deploy/, with other ports and a certificate of this test. The upstream answers what a
// console answers: an event stream that stays open, and an error page while it has no database.

const has = (program: string, argument: string): boolean => spawnSync(program, [argument]).error === undefined
const folder = mkdtempSync(join(tmpdir(), 'proxies-'))
const upstream = createServer((incoming, outgoing) => {
  if (incoming.url === '/api/events') {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write('event: hello\n\n')
    return
  }
  const status = incoming.url === '/without-database' ? 503 : 200
  outgoing
    .writeHead(status, { 'retry-after': '1' })
    .end(JSON.stringify({ host: incoming.headers.host, from: incoming.headers['x-forwarded-for'] }))
})
let port: number
let dead: number
before(async () => {
  port = await freePort()
  dead = await freePort()
  await new Promise<void>((resolve) => void upstream.listen(port, '127.0.0.1', () => resolve()))
  const { key, cert } = await testCertificate()
  writeFileSync(join(folder, 'tls.key'), key)
  writeFileSync(join(folder, 'tls.crt'), cert)
})
after(async () => {
  upstream.closeAllConnections()
  await new Promise((resolve) => upstream.close(resolve))
  rmSync(folder, { recursive: true })
})

/** The sample with the ports of this test: one console runs, and the other does not. */
function sample(path: string): string {
  return readFileSync(join(root, 'deploy', path), 'utf8')
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${dead}`)
    .replaceAll('127.0.0.1:8090', `127.0.0.1:${port}`)
}

const PROXIES = {
  nginx: {
    version: '-v',
    // its workers outlive a master that is killed
    stopSignal: 'SIGTERM' as const,
    configure(listens: number): string[] {
      const site = sample('nginx/bundle-console.conf')
        .replace('listen 80;', `listen 127.0.0.2:${dead};`)
        .replace('443 ssl', `127.0.0.1:${listens} ssl`)
        .replaceAll('/etc/bundle-console/', `${folder}/`)
      // the runtimes have a name and an address of their own
      const runtimes = sample('nginx/bundle-runtime.conf')
        .replace('443 ssl', `127.0.0.2:${listens} ssl`)
        .replaceAll('/etc/bundle-console/platform', `${folder}/tls`)
      const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (name) => `${name}_temp_path ${folder}/${name};`,
      )
      writeFileSync(
        join(folder, 'nginx.conf'),
        `daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {} http { access_log off; ${paths.join(' ')} ${site} ${runtimes} }`,
      )
      return ['-p', folder, '-c', join(folder, 'nginx.conf')]
    },
  },
  caddy: {
    version: 'version',
    // it would wait for open streams
    stopSignal: 'SIGKILL' as const,
    configure(listens: number): string[] {
      const site = sample('caddy/Caddyfile')
        .replace('console.example.org {', `https://localhost:${listens} {`)
        // the runtimes have a name of their own
        .replace('platform.example.org {', `https://platform.localhost:${listens} {`)
        .replaceAll(/\/etc\/caddy\/(?:tls|platform)/g, `${folder}/tls`)
      writeFileSync(join(folder, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
      return ['run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')]
    },
  },
}

interface Answer {
  status: number
  text: string
}

function open(listens: number, path: string, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      host: 'localhost',
      family: 4,
      port: listens,
      path,
      headers,
      rejectUnauthorized: false,
      agent: false,
    }
    request(options, resolve).on('error', reject).end()
  })
}

async function get(listens: number, path: string, headers?: Record<string, string>): Promise<Answer> {
  const answer = await open(listens, path, headers)
  let text = ''
  for await (const chunk of answer) text += String(chunk)
  return { status: answer.statusCode ?? 0, text }
}

async function isUp(listens: number): Promise<boolean> {
  for (let tries = 0; tries < 200; tries++) {
    const answer = await get(listens, '/').catch(() => null)
    if (answer !== null) return true
    await sleep(50)
  }
  return false
}

for (const [name, { version, stopSignal, configure }] of Object.entries(PROXIES)) {
  const skip = !has(name, version) && `${name} is not installed (Debian: apt install ${name})`
  describe(`the sample configuration of ${name}`, { skip }, () => {
    it('passes on what the console answers', async () => {
      const listens = await freePort()
      const args = configure(listens)
      const child = spawn(name, args, {
        stdio: ['ignore', 'ignore', 'pipe'],
        env: { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      })
      let errors = ''
      child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part))
      try {
        assert.ok(await isUp(listens), errors)
        // one of the two consoles does not run
        for (let index = 0; index < 6; index++) assert.equal((await get(listens, '/')).status, 200, errors)
        const forged = await get(listens, '/', { 'x-forwarded-for': '203.0.113.9' })
        assert.deepEqual(JSON.parse(forged.text), { host: `localhost:${listens}`, from: '127.0.0.1' })
        const explained = await get(listens, '/without-database')
        assert.equal(explained.status, 503)
        assert.match(explained.text, /"host"/, 'the answer is the one of the console')
        for (const path of ['/metrics', '/readyz']) assert.equal((await get(listens, path)).status, 404)
        const stream = await open(listens, '/api/events')
        const [first] = await Promise.race([
          stream.take(1).toArray(),
          sleep(3_000, ['nothing within three seconds'], { ref: false }),
        ])
        assert.equal(String(first), 'event: hello\n\n')
        stream.destroy()
      } finally {
        const ended = new Promise((resolve) => child.once('exit', resolve))
        child.kill(stopSignal)
        await ended
      }
    })
  })
}
