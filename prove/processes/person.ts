import { setTimeout as sleep } from 'node:timers/promises'
import type { Scope } from '#contract/protocol/scope.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import type { OperationState } from '#contract/runtime-api/vocabulary.ts'
import { BUNDLE_IDS, refOf, valuesOf, VERSIONS } from './bundles.ts'
import type { BundleId } from './bundles.ts'
import type { Caller, Said } from './caller.ts'
import type { SeededRandom } from '../seeded-random.ts'

/** A person at work in one scope: installs, saves, upgrades, detaches, and cares for what has failed. */
export interface PersonOptions {
  caller: Caller
  random: SeededRandom
  scope: Scope
  /** Told of by events; where they say nothing for long, the person looks. */
  settled(operationId: string, fits: (row: Operation) => boolean, signal: AbortSignal): Promise<Operation>
  /** Whether to begin something more. */
  goesOn(): boolean
  /** Called with each operation that was accepted, and with each new run of one. */
  began(): void
}

interface Installed {
  bundleId: BundleId
  bundleInstallId: string
  version: string
}

const ENDED: ReadonlySet<OperationState> = new Set(['SUCCEEDED', 'FAILED', 'TAKEN_OVER'])
const LOOK_MS = 4_000
const MOST_RETRIES = 4

export async function workAsPerson(options: PersonOptions): Promise<void> {
  while (options.goesOn()) await oneLife(options)
}

/** From an INSTALL of each bundle to its DETACH. */
async function oneLife(options: PersonOptions): Promise<void> {
  const { random } = options
  const found = await Promise.all(BUNDLE_IDS.map((bundleId) => install(options, bundleId)))
  let here = found.filter((installed) => installed !== null)
  for (let step = random.integer(2, 6); step > 0 && here.length > 0 && options.goesOn(); step--) {
    const roll = random.fraction()
    const one = random.pick(here)
    if (roll < 0.55) here = await saved(options, here, random.chance(0.3) ? here : [one])
    else if (roll < 0.8) here = await upgraded(options, here, one)
    else here = await detached(options, here, one)
  }
  for (const one of here) await detached(options, here, one)
}

async function install(options: PersonOptions, bundleId: BundleId): Promise<Installed | null> {
  const { caller, random, scope } = options
  const version = random.pick(VERSIONS)
  const properties = valuesOf(bundleId, random.integer(1, 1_000))
  const said = await caller.write('POST /installations', {
    body: { scope, bundle: refOf(bundleId), targetVersion: version, properties },
  })
  if (!said.isDone) return unexpected(said, [])
  options.began()
  const { bundleInstallId } = said.data.installation.installation
  return (await cameTrue(options, said.data.operation)) ? { bundleId, bundleInstallId, version } : null
}

/** Saves values of one or more installations at once. */
async function saved(options: PersonOptions, here: Installed[], owners: Installed[]): Promise<Installed[]> {
  const { caller, random, scope } = options
  const params = { ...scope, workspaceId: String(scope.workspaceId) }
  const changes = Object.assign(
    {},
    ...owners.map(({ bundleId }) => valuesOf(bundleId, random.integer(1, 1_000))),
  )
  const base = '/scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const
  const { snapshotVersion } = await caller.read(`GET ${base}`, { params })
  const said = await caller.write(`PATCH ${base}`, { params, body: { snapshotVersion, changes } })
  // somebody else was quicker, which another save would see
  if (!said.isDone) return unexpected(said, ['CONFIGURATION_SNAPSHOT_STALE']) ?? here
  for (const _ of said.data.operations) options.began()
  const ended = await Promise.all(
    said.data.operations.map(async (operation) => ({
      bundleInstallId: operation.installation.bundleInstallId,
      isThere: await cameTrue(options, operation),
    })),
  )
  const gone = new Set(ended.filter(({ isThere }) => !isThere).map(({ bundleInstallId }) => bundleInstallId))
  return here.filter(({ bundleInstallId }) => !gone.has(bundleInstallId))
}

async function upgraded(options: PersonOptions, here: Installed[], one: Installed): Promise<Installed[]> {
  const targetVersion = VERSIONS.find((version) => version !== one.version) ?? one.version
  const said = await options.caller.write('POST /installations/{bundleInstallId}/upgrade', {
    params: { bundleInstallId: one.bundleInstallId },
    body: { targetVersion },
  })
  if (!said.isDone) return unexpected(said, []) ?? here
  options.began()
  const isThere = await cameTrue(options, said.data.operation)
  return here.flatMap((other) =>
    other !== one ? [other] : isThere ? [{ ...one, version: targetVersion }] : [],
  )
}

async function detached(options: PersonOptions, here: Installed[], one: Installed): Promise<Installed[]> {
  const said = await options.caller.write('POST /installations/{bundleInstallId}/detach', {
    params: { bundleInstallId: one.bundleInstallId },
    body: { reason: 'no longer needed' },
  })
  if (!said.isDone) return unexpected(said, []) ?? here
  options.began()
  await cameTrue(options, said.data.operation)
  return here.filter((other) => other !== one)
}

/**
 * Waits for the end of an operation, retrying it when it fails, or taking it over. Whether the operation itself succeeded
 * in the end; where not, its installation is gone.
 */
async function cameTrue(options: PersonOptions, begun: Operation): Promise<boolean> {
  const { caller, random } = options
  let operation = begun
  for (let retries = 0; ;) {
    const { operationId, run } = operation
    const ended = await endOf(options, operationId, run)
    if (ended.state !== 'FAILED') return ended.state === 'SUCCEEDED' && operationId === begun.operationId
    const body = { run: ended.run }
    if (retries++ < MOST_RETRIES && random.chance(0.7)) {
      const said = await caller.write('POST /operations/{operationId}/retry', {
        params: { operationId },
        body,
      })
      if (!said.isDone) return unexpected(said, []) ?? false
      operation = said.data.operation
      continue
    }
    const said = await caller.write('POST /operations/{operationId}/takeover', {
      params: { operationId },
      body: { ...body, reason: 'it does not work' },
    })
    if (!said.isDone) return unexpected(said, []) ?? false
    options.began()
    operation = said.data.operation
  }
}

async function endOf(options: PersonOptions, operationId: string, run: number): Promise<Operation> {
  const fits = (row: Operation): boolean => row.run >= run && ENDED.has(row.state)
  for (;;) {
    const patience = new AbortController()
    const told = options.settled(operationId, fits, patience.signal).catch(() => null)
    const row = await Promise.race([
      told,
      sleep(LOOK_MS, null, { signal: patience.signal }).catch(() => null),
    ])
    patience.abort()
    if (row !== null) return row
    const looked = await options.caller.read('GET /operations/{operationId}', { params: { operationId } })
    if (fits(looked)) return looked
  }
}

/** Nobody else works on these installations, so that few refusals are to be expected. */
function unexpected(said: Said<never>, expected: readonly string[]): null {
  if (!said.isDone && !expected.includes(said.errorCode))
    throw new Error(`a write was refused with ${said.errorCode}`)
  return null
}
