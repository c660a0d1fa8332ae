import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { firstOf, openLink } from './link.ts'
import type { LinkOptions } from './link.ts'

let echo: Server
let port: number
const closing: (() => Promise<void> | void)[] = []
before(async () => {
  echo = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.pipe(socket)
  }).listen(0, '127.0.0.1')
  await once(echo, 'listening')
  port = (echo.address() as AddressInfo).port
})
after(async () => {
  for (const close of closing) await close()
  echo.close()
})

async function linked(options: Partial<LinkOptions> = {}) {
  const link = await openLink({ open: () => connect(port, '127.0.0.1'), ...options })
  closing.push(() => link.close())
  return link
}

async function dial(to: number): Promise<Socket & { texts: () => string }> {
  const socket = connect(to, '127.0.0.1')
  let received = ''
  socket.on('data', (bytes) => (received += bytes.toString()))
  await once(socket, 'connect')
  closing.push(() => void socket.destroy())
  return Object.assign(socket, { texts: () => received })
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries++) {
    assert.ok(tries < 500, 'it did not happen in time')
    await sleep(10)
  }
}

test('a link passes everything on, more than the buffers hold too, and the end of a connection', async () => {
  const link = await linked()
  const socket = await dial(link.port)
  const much = 'x'.repeat(8_000_000)
  socket.write(much)
  await until(() => socket.texts().length === much.length)
  socket.end()
  await once(socket, 'close')
  await until(() => link.passages().length === 0)
})

test('what is sent to a paused link arrives when it resumes, also over a connection that is made meanwhile', async () => {
  const link = await linked()
  const old = await dial(link.port)
  old.write('a')
  await until(() => old.texts() === 'a')
  link.pause()
  const late = await dial(link.port)
  old.write('b')
  late.write('c')
  await sleep(100)
  assert.deepEqual([old.texts(), late.texts()], ['a', ''])
  link.resume()
  await until(() => old.texts() === 'ab' && late.texts() === 'c')
})

test('a reset ends the connections with an error, and new ones pass', async () => {
  const link = await linked()
  const socket = await dial(link.port)
  socket.write('a')
  await until(() => socket.texts() === 'a')
  const failed = once(socket, 'error')
  link.pause()
  socket.write('lost')
  link.reset()
  link.resume()
  const [error] = await failed
  assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET')
  const next = await dial(link.port)
  next.write('b')
  await until(() => next.texts() === 'b')
})

test('a link that accepts nothing closes new connections, and keeps the others', async () => {
  const link = await linked()
  const old = await dial(link.port)
  old.write('a')
  await until(() => old.texts() === 'a')
  link.accept(false)
  const refused = await dial(link.port)
  await once(refused, 'close')
  old.write('b')
  await until(() => old.texts() === 'ab')
})

test('hooks lose, answer and cut, and one of them leaves the other direction as it is', async () => {
  const link = await linked({
    hooks: (passage) => ({
      fromClient(bytes) {
        const text = bytes.toString()
        if (text === 'cut') passage.cut()
        else if (text === 'answer') passage.toClient(Buffer.from('from the link'))
        else if (text !== 'lose') passage.toTarget(bytes)
      },
    }),
  })
  const socket = await dial(link.port)
  socket.write('lose')
  await sleep(50)
  socket.write('answer')
  await until(() => socket.texts() === 'from the link')
  socket.write('!')
  await until(() => socket.texts() === 'from the link!')
  socket.write('cut')
  await once(socket, 'close')
})

test('a client is reset if nothing is behind the link, and reaches the first port that accepts it', async () => {
  const nobody = createServer().listen(0, '127.0.0.1')
  await once(nobody, 'listening')
  const closed = (nobody.address() as AddressInfo).port
  nobody.close()
  await once(nobody, 'close')

  const dead = await linked({ open: () => firstOf([closed]) })
  const reset = connect(dead.port, '127.0.0.1')
  const [error] = await once(reset, 'error')
  assert.equal((error as NodeJS.ErrnoException).code, 'ECONNRESET')

  const link = await linked({ open: () => firstOf([closed, port]) })
  const socket = await dial(link.port)
  socket.write('a')
  await until(() => socket.texts() === 'a')
})
