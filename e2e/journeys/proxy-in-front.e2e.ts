import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expectAnswers, UNKNOWN } from '../harness/failure-panel.ts'
import { register, registration, SHORT } from '../harness/plugin-registration.ts'
import { expect, test } from '../harness/test.ts'

// Something between the platform and the plugin answers in its place. The page says what answered, and what to do about it.

test('a proxy that replays responses, asks to sign in, or limits callers is told from the plugin', async ({
  system,
  signIn,
}) => {
  const before = await registration(system)
  const owner = { team: 'Integrations', contact: 'mailto:integrations@example.com' }
  const install = async () => {
    const { operation } = await system.install(system.newScope(), 'crm-suite', '1.0.0')
    return operation.operationId
  }
  await using proxy = await startProxy(before.endpoint)
  const page = await signIn('sam')
  let replayed, limited, original: string
  try {
    await register(system, { ...before, ...SHORT, owner, endpoint: proxy.url })
    original = await install()
    proxy.answerWith((_, outgoing) => outgoing.writeHead(200, proxy.stored.headers).end(proxy.stored.body))
    replayed = await install()
    proxy.answerWith((_, outgoing) =>
      outgoing.writeHead(302, { location: 'https://sso.example.org/login?ticket=hidden' }).end(),
    )
    // while the endpoint is the one that redirects
    await expectAnswers(page, await install(), {
      title: 'The plugin’s endpoint redirects to another host',
      says: [
        'redirects to https://sso.example.org,',
        'exempt the endpoint’s path from the sign-in proxy',
        UNKNOWN,
      ],
      neverSays: ['hidden', 'register the final address'],
      isUsedUp: true,
      next: 'Administrator: Correct the endpoint',
    })
    proxy.answerWith((_, outgoing) => outgoing.writeHead(429, { 'retry-after': '120' }).end())
    await register(system, { ...before, ...SHORT, owner, endpoint: proxy.url, maxAttempts: 1 })
    limited = await install()
  } finally {
    await register(system, { ...before, owner })
  }

  await expectAnswers(page, replayed, {
    title: 'The plugin’s response does not match the request',
    says: [
      /This is the response to Install crm-suite #1/,
      'operation.operationId',
      'installation.bundleInstallId',
    ],
    next: 'Plugin owner: Find the cache or proxy that replays responses',
  })
  const panel = page.getByRole('region', { name: 'Why it failed' })
  await expect(panel.getByRole('link', { name: 'Install crm-suite #1' })).toHaveAttribute(
    'href',
    new RegExp(original),
  )
  const headers = panel.getByText('1.1 edge-cache', { exact: true })
  await expect(headers).toBeVisible()

  await page.goto(`/operations/${limited}`)
  await expect(panel.getByRole('heading', { name: 'The plugin limits the rate of calls' })).toBeVisible()
  await expect(panel).toContainText('It asks to wait 120 s.')
  await expect(panel).toContainText('The plugin asks not to be called again before')
  await expect(panel).toContainText('Support: Retry when the plugin accepts calls again')
  await expect(panel).not.toContainText(UNKNOWN)
})

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void

/** A proxy that passes calls on and stores the last response, until it is told to answer by itself. */
async function startProxy(endpoint: string) {
  const stored = { headers: {} as Record<string, string>, body: Buffer.alloc(0) }
  const passOn = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { authorization = '' } = incoming.headers
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(endpoint, { method: 'POST', headers, body: await buffer(incoming) })
    stored.body = Buffer.from(await response.arrayBuffer())
    stored.headers = {
      'content-type': 'application/json',
      date: response.headers.get('date') ?? '',
      age: '31',
      via: '1.1 edge-cache',
    }
    outgoing.writeHead(response.status, { 'content-type': 'application/json' }).end(stored.body)
  }
  let handle: Handler = (incoming, outgoing) =>
    void passOn(incoming, outgoing).catch(() => outgoing.destroy())
  const server = createServer((incoming, outgoing) => handle(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/lifecycle`,
    stored,
    answerWith: (next: Handler) => {
      handle = next
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
