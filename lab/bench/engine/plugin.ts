import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const ANSWER_MS = 1

/**
 * A plugin in its own process: responds APPLIED to every call after about a millisecond; below /silent it never
 * responds.
 */
const server = createServer((request, response) => {
  if (request.url === '/silent') return
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const lifecycleRequest = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>
    const { contractVersion, pluginId, executionSequence, installation, operation, stage } = lifecycleRequest
    const echo = { contractVersion, pluginId, executionSequence, installation, operation, stage }
    const data = { ...echo, outcome: 'APPLIED', resources: {} }
    const body = JSON.stringify({ contractVersion: '1.0.0', errorCode: '0', data })
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(body)
    }, ANSWER_MS)
  })
})
server.keepAliveTimeout = 60_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  process.send?.({ url: `http://127.0.0.1:${port}/` })
})
process.once('disconnect', () => process.exit(0))
