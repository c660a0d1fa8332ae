import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { PLUGINS, versionOf } from './bundles.ts'
import type { Ground } from './ground.ts'
import { demand } from './state.ts'
import type { Model } from './state.ts'

// What the API tells beside what the model says, both in one form.

const DEADLINE_MS = 15_000

const Operations = z.object({
  items: z.array(
    z.object({
      operationId: z.string(),
      operationType: z.string(),
      currentVersion: z.string().nullable(),
      targetVersion: z.string(),
      executionSequence: z.number(),
      run: z.number(),
      state: z.string(),
      phase: z.string(),
      takesOver: z.string().nullable(),
      failure: z.object({ errorCode: z.string() }).nullable(),
    }),
  ),
})
const Installations = z.object({
  items: z.array(
    z.object({
      installation: z.object({ bundleInstallId: z.string() }),
      state: z.string(),
      version: z.string().nullable(),
      claim: z.object({ operationId: z.string() }).nullable(),
    }),
  ),
})
const Configuration = z.object({
  snapshotVersion: z.number(),
  resources: z.record(
    z.string(),
    z.object({ properties: z.record(z.string(), z.record(z.string(), z.unknown())) }),
  ),
})

type View = Record<string, unknown>

/** Waits until the API tells what one of the models says. Answers that model, or what was seen instead. */
export async function awaitOneOf(
  ground: Ground,
  models: readonly Model[],
): Promise<{ model: Model } | { seen: string }> {
  const expected = models.map((model) => ({ model, view: expectedView(model) }))
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const operations = await operationsSeen(ground)
    const possible = expected.filter(({ view }) => isDeepStrictEqual(view.operations, operations))
    if (possible.length > 0) {
      const seen = { operations, ...(await othersSeen(ground)) }
      const found = possible.find(({ view }) => isDeepStrictEqual(view, seen))
      if (found !== undefined) return { model: found.model }
    }
    if (performance.now() > deadline)
      return { seen: difference(expected[0]?.view ?? {}, { operations, ...(await othersSeen(ground)) }) }
    await sleep(4)
  }
}

function difference(expected: View, seen: View): string {
  const parts = Object.keys(expected).filter((part) => !isDeepStrictEqual(expected[part], seen[part]))
  return parts
    .map((part) => `${part} should be ${JSON.stringify(expected[part])} and is ${JSON.stringify(seen[part])}`)
    .join('; ')
}

async function operationsSeen(ground: Ground): Promise<View[]> {
  const path = `/operations?environmentKey=${ground.environmentKey}&limit=200`
  const { items } = Operations.parse((await ground.runtime.ask({ method: 'GET', path }))?.data)
  return items
    .map(({ operationId, failure, state, ...rest }) => ({
      id: operationId,
      ...rest,
      state: state === 'PENDING' || state === 'WAITING' ? 'RUNNING' : state,
      errorCode: state === 'FAILED' || state === 'TAKEN_OVER' ? (failure?.errorCode ?? null) : null,
    }))
    .toSorted(byId)
}

async function othersSeen(ground: Ground): Promise<View> {
  const path = `/installations?environmentKey=${ground.environmentKey}&limit=200`
  const installations = Installations.parse((await ground.runtime.ask({ method: 'GET', path }))?.data)
  const configuration = await ground.runtime.ask({ method: 'GET', path: ground.configurationPath })
  const found = configuration?.errorCode === 'NOT_FOUND' ? null : Configuration.parse(configuration?.data)
  const prefix = `${ground.environmentKey}/`
  return {
    installations: installations.items
      .map(({ installation, state, version, claim }) => ({
        id: installation.bundleInstallId,
        state,
        version,
        claim: claim?.operationId ?? null,
      }))
      .toSorted(byId),
    snapshot: found?.snapshotVersion ?? null,
    values: Object.fromEntries(
      Object.entries(found?.resources ?? {}).map(([locator, { properties }]) => [
        locator.slice(prefix.length),
        Object.fromEntries(
          Object.entries(properties)
            .filter(([name]) => name !== 'instanceRefProperty')
            .map(([name, view]) => [name, plain(view, ground.environmentKey)]),
        ),
      ]),
    ),
    held: PLUGINS.map((name) => ground.plugins.held(ground.pluginId(name))),
  }
}

/** A sensitive value is told as set or not, and nothing more. */
function plain(view: Record<string, unknown>, environmentKey: string): unknown {
  if (view['isSensitive'] === true) return view['isSet'] === true ? 'hidden' : undefined
  return view['@type'] === 'ServiceReference'
    ? { service: String(view['serviceId']).slice(0, -environmentKey.length - 1) }
    : view['value']
}

function expectedView(model: Model): View {
  const values: Record<string, Record<string, unknown>> = {}
  for (const { state, bundle, ledger } of model.installations) {
    if (state !== 'ACTIVE') continue
    for (const [place, version] of ledger) {
      const ofPlace: Record<string, unknown> = (values[place] = {})
      const defined = versionOf(bundle, version).resources[place.slice(bundle.length + 1)] ?? {}
      for (const [key, value] of model.configuration) {
        const property = key.slice(place.length + 1)
        if (!key.startsWith(`${place} `)) continue
        // nobody defines it any more, so nobody can say that it may be shown
        const isHidden = defined[property] === undefined || defined[property].isSensitive === true
        ofPlace[property] = isHidden ? 'hidden' : value
      }
      for (const [property, { isSensitive }] of Object.entries(defined))
        if (isSensitive && !(property in ofPlace)) ofPlace[property] = undefined
    }
  }
  const id = (index: number | null): string | null =>
    index === null ? null : demand(model.operations[index]).id
  return {
    operations: model.operations
      .map((operation) => ({
        id: operation.id,
        operationType: operation.type,
        currentVersion: operation.current,
        targetVersion: operation.target,
        executionSequence: operation.sequence,
        run: operation.run,
        phase: operation.phase,
        takesOver: id(operation.takesOver),
        state: operation.state,
        errorCode: operation.errorCode,
      }))
      .toSorted(byId),
    installations: model.installations
      .map(({ id: bundleInstallId, state, version, claim }) => ({
        id: bundleInstallId,
        state,
        version,
        claim: id(claim),
      }))
      .toSorted(byId),
    snapshot: model.snapshot,
    values,
    held: PLUGINS.map((name) => model.operations.filter(({ waitsFor }) => waitsFor === name).length),
  }
}

const byId = (a: { id: unknown }, b: { id: unknown }): number => (String(a.id) < String(b.id) ? -1 : 1)
