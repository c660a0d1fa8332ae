import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Plugin } from 'vite'
import { TEST_API_PATH } from './api-messages.ts'
import type { FromPage, ToPage } from './api-messages.ts'

/**
 * Serves `/api` for component tests. It forwards each request to the page of the running test, which handles it
 * (`serveApi`). So components fetch over real HTTP, and the test decides the responses.
 */
export function apiOfTests(): Plugin {
  let page: ServerResponse | null = null
  const responses = new Map<number, ServerResponse>()
  /** The addresses of replies that have been written. */
  const written = new Set<string>()
  let requests = 0

  const send = (message: ToPage): void => {
    page?.write(`data: ${JSON.stringify(message)}\n\n`)
  }

  const connect = (response: ServerResponse): void => {
    for (const open of responses.values()) open.destroy()
    page?.end()
    page = response
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    response.flushHeaders()
  }

  const answer = (message: FromPage): void => {
    const response = responses.get(message.id)
    switch (message.kind) {
      case 'head':
        response?.writeHead(message.status, message.headers)
        response?.flushHeaders()
        return
      case 'body':
        response?.write(message.text)
        return
      case 'end':
        responses.delete(message.id)
        response?.end()
        return
      case 'cut':
        response?.destroy()
    }
  }

  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const id = ++requests
    responses.set(id, response)
    response.on('close', () => {
      responses.delete(id)
      send({ kind: 'left', id })
    })
    const body = await textOf(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    )
    send({ kind: 'request', id, method: request.method ?? 'GET', url: request.url ?? '/', headers, body })
  }

  return {
    name: 'api-of-tests',
    configureServer({ middlewares }) {
      middlewares.use(TEST_API_PATH, (request, response) => {
        if (request.method === 'GET') return connect(response)
        void textOf(request).then((text) => {
          // a browser repeats a request whose connection was lost, and with it the whole reply
          const address = request.url ?? ''
          if (!written.has(address)) for (const message of JSON.parse(text) as FromPage[]) answer(message)
          written.add(address)
          response.end()
        })
      })
      middlewares.use('/api', (request, response) => void pass(request, response))
    },
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}
