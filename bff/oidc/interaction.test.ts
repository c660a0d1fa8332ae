import assert from 'node:assert/strict'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { EVERYWHERE, startAuthServer } from '../testing.ts'
import { TestBrowser } from '../testing-browser.ts'
import type { AuthServer } from '../testing.ts'

let server: AuthServer
before(async () => {
  const roles = [EVERYWHERE('viewer')]
  server = await startAuthServer({ users: [{ username: 'Ada', password: 'correct horse', roles }] })
})
after(() => server.stop())

interface LogLine {
  level: number
  msg: string
  username?: string | null
  address?: string
}

/** The lines logged since the log had this length. */
function logged(start: number): LogLine[] {
  const lines = server.log().slice(start).trim().split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as LogLine)
}

/** Sends the head of a sign-in form of this length, and the given part of it. */
async function beginToSubmit({ length, sent }: { length: number; sent: string }): Promise<Socket> {
  const browser = new TestBrowser(server.origin)
  const { host, hostname, port, pathname } = new URL(await browser.openForm(), server.origin)
  const cookies = [...browser.cookies.values()].map(({ name, value }) => `${name}=${value}`)
  const socket = connect(Number(port), hostname)
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `host: ${host}`,
    `origin: ${server.origin}`,
    `cookie: ${cookies.join('; ')}`,
    'content-type: application/x-www-form-urlencoded',
    `content-length: ${length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${sent}`)
  return socket
}

describe('the log of failed sign-ins', () => {
  it('names a known user, and never what was typed as an unknown username', async () => {
    const browser = new TestBrowser(server.origin)
    const form = await browser.openForm()
    const start = server.log().length
    assert.equal((await browser.submit(form, 'ADA', 'wrong')).status, 401)
    assert.equal((await browser.submit(form, 'hunter2-hunter2', 'wrong')).status, 401)
    const lines = logged(start).filter(({ msg }) => msg === 'sign-in with a wrong username or password')
    assert.deepEqual(
      lines.map(({ username }) => username),
      ['Ada', null],
    )
    assert.ok(lines.every(({ address }) => address !== undefined))
    assert.ok(!server.log().includes('hunter2'))
  })

  it('names nobody when guesses are limited, because no user was looked up', async () => {
    const browser = new TestBrowser(server.origin)
    const form = await browser.openForm()
    const start = server.log().length
    let status = 401
    for (let guess = 0; guess < 11; guess++)
      ({ status } = await browser.submit(form, 'hunter3-hunter3', 'wrong'))
    assert.equal(status, 429)
    const refused = logged(start).find(({ msg }) => msg === 'sign-in refused after too many wrong passwords')
    assert.equal(refused?.address, '127.0.0.1')
    assert.ok(!server.log().includes('hunter3'))
  })
})

describe('a form that is too large', () => {
  it('gets a page while it is still being sent, and ends the connection', async () => {
    const socket = await beginToSubmit({ length: 20_000, sent: 'x'.repeat(5_000) })
    const response = await text(socket)
    assert.match(response, /^HTTP\/1\.1 413 /)
    assert.match(response, /\r\nconnection: close\r\n/i)
    assert.match(response, /Sign-in failed/)
  })

  it('is measured in bytes', async () => {
    const browser = new TestBrowser(server.origin)
    const form = await browser.openForm()
    const submit = (password: string) =>
      browser.request(form, {
        method: 'POST',
        body: `username=ada&password=${password}`,
        headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.origin },
      })
    assert.equal((await submit('漢'.repeat(1_400))).status, 413)
    assert.equal((await submit('漢'.repeat(1_300))).status, 401)
  })
})

describe('an error during a sign-in', () => {
  /** Runs `task` while every insert into this table and every update of it raises this error. */
  const whileFailing = async (table: string, errcode: string, task: () => Promise<void>): Promise<void> => {
    const { db } = server.database
    await sql
      .raw(`create function public.fail() returns trigger language plpgsql as $$
        begin raise exception 'invented' using errcode = '${errcode}'; end $$`)
      .execute(db)
    await sql
      .raw(`create trigger failing before insert or update on bff.${table}
        for each statement execute function public.fail()`)
      .execute(db)
    try {
      await task()
    } finally {
      await sql`drop function public.fail() cascade`.execute(db)
    }
  }
  const DISK_FULL = '53100'
  const OTHER_ERROR = '22012'

  it('shows a page that says why, if a password could not be checked', async () => {
    const browser = new TestBrowser(server.origin)
    const form = await browser.openForm()
    for (const [errcode, status, title] of [
      [DISK_FULL, 503, /The identity provider can’t be reached/],
      [OTHER_ERROR, 500, /Sign-in failed/],
    ] as const) {
      await whileFailing('sign_in_limit', errcode, async () => {
        const response = await browser.submit(form, 'ada', 'correct horse')
        assert.equal(response.status, status)
        assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
        assert.match(await response.text(), title)
      })
    }
    assert.equal((await browser.submit(form, 'ada', 'correct horse')).status, 303)
  })

  it('shows such a page if a sign-in could not begin', async () => {
    const browser = new TestBrowser(server.origin)
    const begun = await browser.request('/auth/login')
    await whileFailing('idp_record', DISK_FULL, async () => {
      const response = await browser.request(begun.headers.get('location') ?? '', {
        headers: { accept: 'text/html' },
      })
      assert.equal(response.status, 503)
      assert.match(await response.text(), /The identity provider can’t be reached/)
    })
  })
})

describe('a client that disconnects in the middle of a form', () => {
  it('is not an error of the identity provider', async () => {
    const start = server.log().length
    // until the server waits for the rest of the form, which a busy machine reaches later
    for (const pause of [200, 1_000, 4_000]) {
      if (logged(start).length > 0) break
      const socket = await beginToSubmit({ length: 200, sent: 'username=ada' })
      await sleep(pause)
      socket.destroy()
      const deadline = Date.now() + 2_000
      while (logged(start).length === 0 && Date.now() < deadline) await sleep(10)
    }
    assert.deepEqual(
      logged(start).map(({ level, msg }) => [level, msg]),
      [[20, 'a client closed the connection while it sent the sign-in form']],
    )
  })
})
