import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import { serve } from './serve.ts'

/**
 * A plugin that responds with APPLIED to everything and echoes the request, changed by `change`. Returns the address.
 * It checks nothing.
 */
export function startEchoPlugin(
  t: TestContext,
  change: (request: LifecycleRequest) => object = () => ({}),
): Promise<string> {
  return serve(t, (incoming, outgoing) => {
    void text(incoming).then((body) => {
      // sent by the checker
      const request = JSON.parse(body) as LifecycleRequest
      const data = { ...request, outcome: 'APPLIED', resources: {}, ...change(request) }
      outgoing.end(JSON.stringify({ contractVersion: '1.0.0', errorCode: '0', data }))
    })
  })
}
