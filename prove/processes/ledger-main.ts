import { AsyncLocalStorage } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { failureEnvelope, readEnvelope } from '#contract/protocol/envelope.ts'
import { LifecycleResponse } from '#contract/protocol/lifecycle.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import { applied, definePlugin, listen, sqliteStore, verified } from '#plugin/index.ts'
import type { LifecycleCall, PluginHandler, SqliteTransaction } from '#plugin/index.ts'
import { sendResponse } from '#plugin/sdk/node-listener.ts'
import type { Delivery } from '../invariants/evidence.ts'
import { DELIVERIES_FILE, EFFECT_SCHEMA, storeFile } from './ledger.ts'
import type { DeliveryLine } from './ledger.ts'
import type { LedgerSettings } from './plugins.ts'
import { SeededRandom } from '../seeded-random.ts'

// Plugins as an author would write them, on the SDK, in a process that keeps account of all that comes and is made.
// Around them is an unreliable network: a fault may be injected before or after the plugin handles a delivery.

const settings = JSON.parse(process.argv[2] ?? '{}') as LedgerSettings
const { folder, platformApiBase, pluginIds, port, seed, faults, timeoutMs, maxDelayMs } = settings
const deliveries = openSync(join(folder, DELIVERIES_FILE), 'a', 0o600)
// a process before this one drew other numbers
const random = new SeededRandom(seed + process.pid)
const deliveryOf = new AsyncLocalStorage<string>()
let arrivals = 0

// a line begins on a line of its own, whatever a killed process before this one has left
writeSync(deliveries, '\n')
const note = (line: DeliveryLine): void => void writeSync(deliveries, `${JSON.stringify(line)}\n`)

const plugins = new Map(
  pluginIds.map((pluginId): [string, PluginHandler] => [
    pluginId,
    definePlugin({
      pluginId,
      ...(platformApiBase === null ? { verify: false } : { platformApiBase }),
      store: sqliteStore(storeFile(folder, pluginId), { schema: EFFECT_SCHEMA }),
      writes: { tenantId: {}, address: {} },
      handle: { BEFORE_RESOURCES: perform, AFTER_RESOURCES: perform },
    }),
  ]),
)

async function perform(call: LifecycleCall<SqliteTransaction>) {
  await sleep(random.integer(0, maxDelayMs))
  return call.conclude((tx) => {
    const delivery = deliveryOf.getStore() ?? ''
    tx.prepare('INSERT INTO effect VALUES (?, ?, ?)').run(call.operation.operationId, call.stage, delivery)
    const property = WRITES[`${call.pluginId} ${call.stage}`]
    const writes =
      property === undefined || call.operation.operationType === 'DETACH'
        ? {}
        : Object.fromEntries(
            call.resources
              .filter(({ locator }) => locator.endsWith('/MODULE/core'))
              .map(({ locator }) => [locator, { [property]: `${property}-${call.executionSequence}` }]),
          )
    return call.stage === 'BEFORE_RESOURCES' ? applied(writes) : verified(writes)
  })
}

/** Which plugin writes what, and when; the bundles' manifests permit just this. */
const WRITES: Record<string, string | undefined> = {
  'accounts BEFORE_RESOURCES': 'tenantId',
  'storage AFTER_RESOURCES': 'address',
}

async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const pluginId = (incoming.url ?? '').replace(/^\/+/, '')
  const plugin = plugins.get(pluginId)
  const body = await readAll(incoming)
  if (plugin === undefined) return void outgoing.writeHead(404).end()
  const delivery = `${process.pid}-${String(++arrivals).padStart(8, '0')}`
  const fault = faultOf(random)
  note({ kind: 'arrived', ...describe(body), delivery, pluginId, fault })

  const ask = async (): Promise<Response> => {
    const authorization = incoming.headers.authorization ?? ''
    const headers = { 'content-type': 'application/json', authorization }
    const request = new Request('http://plugin.invalid/', { method: 'POST', headers, body })
    return deliveryOf.run(delivery, () => plugin(request))
  }
  const answer = async (response: Response): Promise<void> => {
    note({ kind: 'answered', delivery, answered: await meaningOf(response.clone()) })
    if (fault !== 'reset-after') return sendResponse(response, outgoing)
    outgoing.destroy()
  }
  switch (fault) {
    case 'none':
    case 'reset-after':
      return answer(await ask())
    case 'retryable':
      return answer(envelope('TRY_LATER', 'The plugin is busy', true))
    case 'definite':
      return answer(envelope('QUOTA_EXCEEDED', 'There is no room left', false))
    case 'unavailable':
      return answer(new Response('away', { status: 503 }))
    case 'reset-before':
      return void outgoing.destroy()
    case 'hang':
      await sleep(timeoutMs * 1.5)
      return void outgoing.destroy()
    case 'late':
      await sleep(timeoutMs * 1.5)
      return answer(await ask())
  }
}

type Fault = keyof LedgerSettings['faults'] | 'none'

function faultOf(random: SeededRandom): Fault {
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

const envelope = (errorCode: string, message: string, retryable: boolean): Response =>
  new Response(JSON.stringify(failureEnvelope(errorCode, { message, retryable })), {
    headers: { 'content-type': 'application/json' },
  })

function describe(body: Buffer<ArrayBuffer>) {
  // whoever posts anything else here is told so by the SDK; the ledger is for the runtime's calls alone
  const request = JSON.parse(body.toString('utf8')) as LifecycleRequest
  return {
    operationId: request.operation.operationId,
    stage: request.stage,
    bundleInstallId: request.installation.bundleInstallId,
    executionSequence: request.executionSequence,
    bodyHash: createHash('sha256').update(body).digest('hex'),
  }
}

async function readAll(incoming: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const { url } = await listen((incoming, outgoing) => {
  serve(incoming, outgoing).catch(() => outgoing.destroy())
}, port)
console.log(`plugins at ${url}`)
