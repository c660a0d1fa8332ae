import { createServer } from 'node:http'

// Acts as platform and as target of events, without any delay, for the benchmark of the outbox.
const server = createServer(async (incoming, outgoing) => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const path = incoming.url ?? ''
  outgoing.writeHead(200, { 'content-type': 'application/json' })
  outgoing.end(JSON.stringify({ errorCode: '0', data: dataOf(path, chunks), contractVersion: '1.0.0' }))
})
server.listen(0, '127.0.0.1', () => console.log(addressOf()))

function addressOf(): string {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

function dataOf(path: string, chunks: Buffer[]): object | null {
  if (path.startsWith('/events/')) return null
  const request = JSON.parse(Buffer.concat(chunks).toString()) as object
  if (path.endsWith('/event-declarations/read')) {
    const schema = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
    return { ...request, events: { crm: [{ method: 'changed', schema }] } }
  }
  return {
    ...request,
    reference: { '@type': 'ServiceReference', serviceId: 'crm' },
    access: { crm: { url: `${addressOf()}/events`, token: 'x'.repeat(600) } },
    expiresAt: new Date(Date.now() + 300_000).toISOString(),
  }
}
