import type { PluginCheckReport } from '#contract/protocol/plugin-check-report.ts'
import { writeFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomBytes } from 'node:crypto'
import { wrapData, wrapSensitive } from '#contract/protocol/data.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { install, publish, register, save } from '../actions.ts'
import type { SeededRandom } from '../seeded-random.ts'
import { references, SCOPE, SECRET } from './bundles.ts'
import type { RunningPlugin, World } from './world.ts'

const LIMITS = { timeoutMs: 5_000, maxAttempts: 50, maxBackoffMs: 200 }
const PATIENCE_MS = 60_000

/** What happened besides the rounds. */
export interface Incidents {
  rotations: number
  pluginKills: number
  runtimeKills: number
}

/** Installs both bundles, and registers the services of their Modules. The references are set last. */
export async function build(world: World): Promise<void> {
  await Promise.all(world.plugins.map((plugin) => buildSide(world, plugin)))
  await configure(world, references())
  await createWebhook(world)
}

/** A webhook whose receiver never answers, so that its notifications are tried again and again. */
async function createWebhook({ client, canaries }: World): Promise<void> {
  const path = randomBytes(24).toString('hex')
  canaries.add('webhook address', path)
  const body = {
    title: 'canaries',
    url: `http://127.0.0.1:9/${path}`,
    events: ['operation.failed' as const],
    scope: null,
    retryingAfterMinutes: 30,
  }
  const created = await client.write('POST /webhooks', { body })
  if (!created.isDone || created.data.secret === null) throw new Error('the secret was not shown')
  canaries.add('webhook secret', created.data.secret.replace('whsec_', ''))
}

async function buildSide(world: World, plugin: RunningPlugin): Promise<void> {
  const { client } = world
  const { pluginId, serviceId } = plugin
  await register(client, pluginId, `${plugin.lifecycle.url}/lifecycle`, LIMITS)
  writeFileSync(plugin.credentialFile, (await newCredential(world, plugin)).secret)
  await plugin.start()
  await publish(client, plugin.manifest)
  const operation = await install(client, SCOPE, plugin.manifest, {})
  await end(world, operation)
  const { bundleInstallId } = operation.installation
  const body = {
    title: serviceId,
    url: plugin.serviceUrl,
    methods: [],
    owner: { bundleInstallId, locator: plugin.core },
    consumers: [SCOPE],
    enabled: true,
  }
  const saved = await client.write('PUT /services/{serviceId}', { params: { serviceId }, body })
  if (!saved.isDone) throw new Error(`the service was refused with ${saved.errorCode}`)
  const report: PluginCheckReport = {
    format: 'bundle-console/plugin-check-report',
    version: 1,
    checkerVersion: '0.1.0',
    pluginId,
    startedAt: new Date().toISOString(),
    cases: [],
  }
  const uploaded = await client.write('PUT /plugins/{pluginId}/reports/{version}', {
    params: { pluginId, version: '1.0.0' },
    body: { report },
  })
  if (!uploaded.isDone) throw new Error(`the report was refused with ${uploaded.errorCode}`)
}

/** Rounds of CONFIGUREs of both installations, each of which resolves every reference and publishes events. */
export async function runRounds(world: World, random: SeededRandom, rounds: number): Promise<Incidents> {
  const incidents: Incidents = { rotations: 0, pluginKills: 0, runtimeKills: 0 }
  const { plugins, replica, faults } = world
  faults.isOn = true
  for (let round = 0; round < rounds; round++) {
    const name = wrapData(`round ${round}`)
    // with characters that each notation writes in its own way
    const value = `${randomBytes(12).toString('base64')}+/="<&${randomBytes(6).toString('hex')}`
    world.canaries.add('value', value)
    const changes = Object.fromEntries(
      plugins.map(({ core }) => [core, { name, [SECRET]: wrapSensitive(value) }]),
    )
    const configured = configure(world, changes)
    await sleep(random.integer(0, 150))
    const plugin = random.pick(plugins)
    switch (round % 4) {
      case 0:
        await rotate(world, plugin)
        incidents.rotations += 1
        break
      case 1:
        await plugin.kill()
        await plugin.start()
        incidents.pluginKills += 1
        break
      case 2:
        await replica.kill()
        replica.start()
        await replica.ready()
        incidents.runtimeKills += 1
        break
    }
    await configured
  }
  faults.isOn = false
  await Promise.all(plugins.map(drained))
  return incidents
}

async function configure(world: World, changes: Parameters<typeof save>[2]): Promise<void> {
  const operations = await save(world.client, SCOPE, changes)
  if (operations === null) throw new Error('nobody else saves this scope')
  for (const operation of operations) await end(world, operation)
}

async function end({ client }: World, { operationId }: Operation): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { state, failure } = await client.read('GET /operations/{operationId}', { params: { operationId } })
    if (state === 'SUCCEEDED') return
    if (state === 'FAILED' || performance.now() > deadline)
      throw new Error(`an operation is ${state}: ${failure?.errorCode ?? 'no failure'}`)
    await sleep(25)
  }
}

/** Writes a new credential to the file, and revokes the others as soon as the plugin can have read it. */
async function rotate(world: World, plugin: RunningPlugin): Promise<void> {
  const { pluginId } = plugin
  const { secret, credentialId: newest } = await newCredential(world, plugin)
  writeFileSync(plugin.credentialFile, secret)
  const { credentials } = await world.client.read('GET /plugins/{pluginId}', { params: { pluginId } })
  for (const { credentialId, revokedAt } of credentials) {
    if (credentialId === newest || revokedAt !== null) continue
    const params = { pluginId, credentialId }
    await world.client.write('DELETE /plugins/{pluginId}/credentials/{credentialId}', { params })
  }
}

async function newCredential({ client, canaries }: World, { pluginId }: RunningPlugin) {
  const call = { params: { pluginId }, body: {} }
  const result = await client.write('POST /plugins/{pluginId}/credentials', call)
  if (!result.isDone || result.data.secret === null) throw new Error('the credential was not shown')
  const { credentialId, secret } = result.data
  canaries.add('credential', secret)
  return { credentialId, secret }
}

export interface OutboxCounts {
  counts: Record<'PENDING' | 'DELIVERED' | 'FAILED', number>
  events: { attempts: number }[]
}

export async function readOutbox({ url }: RunningPlugin): Promise<{ text: string; outbox: OutboxCounts }> {
  const text = await (await fetch(`${url}/outbox`)).text()
  return { text, outbox: JSON.parse(text) as OutboxCounts }
}

/** Waits until no event is due. */
async function drained(plugin: RunningPlugin): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const { counts } = (await readOutbox(plugin)).outbox
    if (counts.PENDING === 0) return
    if (performance.now() > deadline) throw new Error(`${counts.PENDING} events are not delivered`)
    await sleep(50)
  }
}
