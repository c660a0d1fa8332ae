import { AsyncLocalStorage } from 'node:async_hooks'
import { openSync, writeSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failureEnvelope, readEnvelope } from '#contract/protocol/envelope.ts'
import { LifecycleResponse } from '#contract/protocol/lifecycle.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { applied, definePlugin, listen, sqliteStore, verified } from '#plugin-sdk/src/index.ts'
import type { LifecycleCall, PluginHandler, SqliteTransaction } from '#plugin-sdk/src/index.ts'
import { sendResponse } from '#plugin-sdk/src/node-listener.ts'
import { CANARY, WRITES } from '../bundles.ts'
import type { Delivery } from '../invariants/evidence.ts'
import { deliveryOf } from '../protocol-plugin.ts'
import { SeededRandom } from '../seeded-random.ts'
import type { Faults, PluginProgramSettings } from './plugin-process.ts'
import { DELIVERIES_FILE, EFFECT_SCHEMA, storeFile } from './plugin-record.ts'
import type { DeliveryLine } from './plugin-record.ts'

// Plugins as an author would write them, on the SDK, in a process that records every delivery and every effect. An
// unreliable network surrounds them: a fault may be injected before or after the plugin handles a delivery.

// written by the suite that starts this process
const settings = JSON.parse(process.argv[2] ?? '{}') as PluginProgramSettings
const { folder, platformApiBase, pluginIds, port, seed, faults, timeoutMs, maxDelayMs } = settings
const deliveries = openSync(join(folder, DELIVERIES_FILE), 'a', 0o600)
// different random numbers than in the previous process
const random = new SeededRandom(seed + process.pid)
const deliveryId = new AsyncLocalStorage<string>()
let arrivals = 0

// starts a new line, in case a killed process has left an incomplete one
writeSync(deliveries, '\n')
const record = (line: DeliveryLine): void => void writeSync(deliveries, `${JSON.stringify(line)}\n`)

const plugins = new Map(
  pluginIds.map((pluginId): [string, PluginHandler] => [
    pluginId,
    definePlugin({
      pluginId,
      ...(platformApiBase === null ? { verify: false } : { platformApiBase }),
      store: sqliteStore(storeFile(folder, pluginId), { schema: EFFECT_SCHEMA }),
      writes: Object.fromEntries(
        Object.values(WRITES).flatMap((written) =>
          written === undefined ? [] : [[written.property, { isSensitive: written.isSensitive }]],
        ),
      ),
      handle: { BEFORE_RESOURCES: perform, AFTER_RESOURCES: perform },
    }),
  ]),
)

async function perform(call: LifecycleCall<SqliteTransaction>) {
  await sleep(random.integer(0, maxDelayMs))
  return call.conclude((tx) => {
    const id = deliveryId.getStore() ?? ''
    tx.prepare('INSERT INTO effect VALUES (?, ?, ?)').run(call.operation.operationId, call.stage, id)
    const written = WRITES[call.pluginId]
    const cores = call.resources.filter(({ locator }) => locator.endsWith('/MODULE/core'))
    const writes =
      written?.stage !== call.stage || call.operation.operationType === 'DETACH'
        ? {}
        : Object.fromEntries(
            cores.map(({ locator }) => {
              const value = `${written.isSensitive ? CANARY : written.property}-${call.executionSequence}`
              return [locator, { [written.property]: value }]
            }),
          )
    return call.stage === 'BEFORE_RESOURCES' ? applied(writes) : verified(writes)
  })
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const pluginId = (incoming.url ?? '').replace(/^\/+/, '')
  const plugin = plugins.get(pluginId)
  const body = await readAll(incoming)
  if (plugin === undefined) return void outgoing.writeHead(404).end()
  const id = `${process.pid}-${String(++arrivals).padStart(8, '0')}`
  const fault = pickFault()
  // only the runtime calls these plugins
  const request = JSON.parse(body.toString('utf8')) as LifecycleRequest
  record({ kind: 'arrived', id, fault, delivery: deliveryOf(request, body) })

  const handle = async (): Promise<Response> => {
    const authorization = incoming.headers.authorization ?? ''
    const headers = { 'content-type': 'application/json', authorization }
    const call = new Request('http://plugin.invalid/', { method: 'POST', headers, body })
    return deliveryId.run(id, () => plugin(call))
  }
  const answer = async (response: Response): Promise<void> => {
    record({ kind: 'answered', id, answered: await meaningOf(response.clone()) })
    if (fault !== 'reset-after') return sendResponse(response, outgoing)
    outgoing.destroy()
  }
  switch (fault) {
    case 'none':
    case 'reset-after':
      return answer(await handle())
    case 'retryable':
      return answer(failure('TRY_LATER', 'The plugin is busy', true))
    case 'permanent':
      return answer(failure('QUOTA_EXCEEDED', 'There is no room left', false))
    case 'unavailable':
      return answer(new Response('unavailable', { status: 503 }))
    case 'reset-before':
      return void outgoing.destroy()
    case 'hang':
      await sleep(timeoutMs * 1.5)
      return void outgoing.destroy()
    case 'late':
      await sleep(timeoutMs * 1.5)
      return answer(await handle())
  }
}

type Fault = keyof Faults | 'none'

function pickFault(): Fault {
  let rest = random.fraction()
  // the keys are those of the settings' type
  for (const [fault, probability] of Object.entries(faults) as [Fault, number][]) {
    if (rest < probability) return fault
    rest -= probability
  }
  return 'none'
}

async function meaningOf(response: Response): Promise<Delivery['answered']> {
  if (response.status !== 200) return 'nothing'
  const reading = readEnvelope(await response.json())
  if (reading.kind === 'success') return LifecycleResponse.parse(reading.data).outcome
  return reading.kind === 'failure' && reading.failure?.retryable === true ? 'retryable' : 'failure'
}

const failure = (errorCode: string, message: string, retryable: boolean): Response =>
  Response.json(failureEnvelope(errorCode, { message, retryable }))

async function readAll(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const { url } = await listen((incoming, outgoing) => {
  serve(incoming, outgoing).catch(() => outgoing.destroy())
}, port)
console.log(`plugins at ${url}`)
