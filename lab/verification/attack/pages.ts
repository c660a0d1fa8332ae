import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from '@playwright/test'
import { openBrowser } from '../console-browser.ts'
import type { Attack, Target } from './attack.ts'

/** What a page of another site does in the browser of a signed-in administrator, as a script that returns what it learned or null. */
const SCRIPTS: Readonly<Record<string, string>> = {
  'reads with the session': `fetch(CONSOLE + '/api/session', { credentials: 'include' }).then((r) => r.text(), () => null)`,
  'reads with the header of the console': `fetch(CONSOLE + '/api/session', { credentials: 'include', headers: { 'x-requested-by': 'console' } }).then((r) => r.text(), () => null)`,
  'reads a document': `fetch(CONSOLE + '/operations', { credentials: 'include' }).then((r) => r.text(), () => null)`,
  'writes as text': `fetch(CONSOLE + '/api/webhooks', { method: 'POST', credentials: 'include', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: BODY }).then(() => null, () => null)`,
  'writes as JSON': `fetch(CONSOLE + '/api/webhooks', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json', 'x-requested-by': 'console', 'idempotency-key': 'x1' }, body: BODY }).then((r) => r.text(), () => null)`,
  'writes by a beacon': `(navigator.sendBeacon(CONSOLE + '/api/webhooks', new Blob([BODY], { type: 'text/plain' })), null)`,
  'writes by a form': `new Promise((done) => { const f = document.createElement('form'); f.method = 'post'; f.enctype = 'text/plain'; f.action = CONSOLE + '/api/webhooks'; f.target = 'sink'; const i = document.createElement('input'); i.name = BODY; f.append(i); const s = document.createElement('iframe'); s.name = 'sink'; document.body.append(s, f); f.submit(); setTimeout(() => done(null), 500) })`,
  'signs the person out by a link': `fetch(CONSOLE + '/auth/logout', { credentials: 'include', mode: 'no-cors' }).then(() => null, () => null)`,
  'signs the person out by a form': `new Promise((done) => { const f = document.createElement('form'); f.method = 'post'; f.action = CONSOLE + '/auth/logout'; f.target = 'sink2'; const s = document.createElement('iframe'); s.name = 'sink2'; document.body.append(s, f); f.submit(); setTimeout(() => done(null), 500) })`,
  'loads an answer as a script': `new Promise((done) => { const s = document.createElement('script'); s.src = CONSOLE + '/api/session'; s.onload = () => done('loaded'); s.onerror = () => done(null); document.body.append(s) })`,
  'loads an answer as a style': `new Promise((done) => { const s = document.createElement('link'); s.rel = 'stylesheet'; s.href = CONSOLE + '/api/session'; s.onload = () => done('loaded'); s.onerror = () => done(null); document.head.append(s) })`,
  'listens to the stream': `new Promise((done) => { const s = new EventSource(CONSOLE + '/api/events', { withCredentials: true }); s.onopen = () => done('open'); s.onerror = () => { s.close(); done(null) } })`,
  'opens a web socket': `new Promise((done) => { const s = new WebSocket(CONSOLE.replace('http', 'ws') + '/api/events'); s.onopen = () => done('open'); s.onerror = () => done(null) })`,
  'frames the console': `new Promise((done) => { const f = document.createElement('iframe'); f.src = CONSOLE + '/operations'; document.body.append(f); f.onload = () => { try { done(f.contentDocument === null ? null : f.contentDocument.body.innerText.includes('Operations') ? 'framed' : null) } catch { done(null) } }; setTimeout(() => done(null), 3000) })`,
  'frames it in an object': `new Promise((done) => { const o = document.createElement('object'); o.data = CONSOLE + '/operations'; o.onload = () => done(null); o.onerror = () => done(null); document.body.append(o); setTimeout(() => done(null), 2000) })`,
  'opens it and looks into the window': `new Promise((done) => { const w = open(CONSOLE + '/operations'); setTimeout(() => { let seen = null; try { seen = w === null || w.closed || w.length === undefined ? null : w.document.title } catch { seen = null } done(seen) }, 1500) })`,
}

/** Pages of another site, in a real browser that is signed in to the console. */
export async function pageAttacks(target: Target): Promise<{ attacks: Attack[]; stop(): Promise<void> }> {
  const server = createServer(
    (_, response) =>
      void response.setHeader('content-type', 'text/html').end('<!doctype html><title>Evil</title><body>'),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // another site for the browser: the console is on localhost
  const evil = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const browser: Browser = await openBrowser()
  const title = `Mallory ${crypto.randomUUID()}`
  const body = JSON.stringify({
    title,
    url: 'http://127.0.0.1:1/',
    events: ['batch.finished'],
    scope: null,
    retryingAfterMinutes: 1,
  })
  const attacks = Object.entries(SCRIPTS).map(([name, script]): Attack => ({
    name: `a page of another site ${name}`,
    async run() {
      const context = await browser.newContext()
      try {
        const [cookieName = '', value = ''] = target.cookieOf('admin').split(/=(.*)/s)
        await context.addCookies([
          { name: cookieName, value, url: target.console, httpOnly: true, sameSite: 'Lax' },
        ])
        const page: Page = await context.newPage()
        // otherwise the attack would prove nothing
        await page.goto(`${target.console}/operations`)
        const own = `fetch('/api/session', { headers: { 'x-requested-by': 'console' } }).then((r) => r.status)`
        if ((await page.evaluate(own)) !== 200) return 'the browser is not signed in'
        await page.goto(evil)
        const learned = await page.evaluate(
          `(() => { const CONSOLE = ${JSON.stringify(target.console)}; const BODY = ${JSON.stringify(body)}; return ${script} })()`,
        )
        if (learned !== null && learned !== undefined)
          return `it learned ${JSON.stringify(learned).slice(0, 100)}`
        const session = await target.send({ method: 'GET', path: '/api/session', as: 'admin' })
        if (session.status !== 200) return `the session of the person has ended: ${session.status}`
        const { text } = await target.send({ method: 'GET', path: '/api/webhooks', as: 'admin' })
        return text.includes(title) ? 'it created a webhook' : null
      } finally {
        await context.close()
      }
    },
  }))
  return {
    attacks,
    async stop() {
      await browser.close()
      server.close()
      server.closeAllConnections()
    },
  }
}
