import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import { PLUGINS, versionOf } from './bundles.ts'
import { required } from './state.ts'
import type { Model } from './state.ts'
import type { TestScope } from './test-scope.ts'

// Compares what the API answers with the state of the model.

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

/** Waits until the API shows the state of one of the models. Answers that model, or how the API differs from the first. */
export async function awaitOneOf(
  scope: TestScope,
  models: readonly Model[],
): Promise<{ model: Model } | { difference: string }> {
  const expected = models.map((model) => ({ model, view: expectedView(model) }))
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const operations = await readOperations(scope)
    const possible = expected.filter(({ view }) => isDeepStrictEqual(view.operations, operations))
    const isLate = performance.now() > deadline
    if (possible.length > 0 || isLate) {
      const actual = { operations, ...(await readOthers(scope)) }
      const found = possible.find(({ view }) => isDeepStrictEqual(view, actual))
      if (found !== undefined) return { model: found.model }
      if (isLate) return { difference: differenceOf(expected[0]?.view ?? {}, actual) }
    }
    await sleep(4)
  }
}

function differenceOf(expected: View, actual: View): string {
  const parts = Object.keys(expected).filter((part) => !isDeepStrictEqual(expected[part], actual[part]))
  return parts
    .map(
      (part) => `${part} should be ${JSON.stringify(expected[part])} and is ${JSON.stringify(actual[part])}`,
    )
    .join('; ')
}

async function readOperations({ runtime, environmentKey }: TestScope): Promise<View[]> {
  const answer = await runtime.call(`/operations?environmentKey=${environmentKey}&limit=200`)
  const { items } = Operations.parse(answer.data)
  return items
    .map(({ operationId, failure, state, ...rest }) => ({
      id: operationId,
      ...rest,
      state: state === 'PENDING' || state === 'WAITING' ? 'RUNNING' : state,
      errorCode: state === 'FAILED' || state === 'TAKEN_OVER' ? (failure?.errorCode ?? null) : null,
    }))
    .toSorted(byId)
}

async function readOthers(scope: TestScope): Promise<View> {
  const { runtime, environmentKey } = scope
  const answer = await runtime.call(`/installations?environmentKey=${environmentKey}&limit=200`)
  const installations = Installations.parse(answer.data)
  const configuration = await runtime.call(scope.configurationPath)
  const found = configuration.errorCode === 'NOT_FOUND' ? null : Configuration.parse(configuration.data)
  const prefix = `${environmentKey}/`
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
            .map(([name, view]) => [name, valueIn(view, environmentKey)]),
        ),
      ]),
    ),
    heldCalls: PLUGINS.map((name) => scope.plugins.heldCalls(scope.pluginId(name))),
  }
}

/** Of a sensitive value the API shows only whether it is set. */
function valueIn(view: Record<string, unknown>, environmentKey: string): unknown {
  if (view['isSensitive'] === true) return view['isSet'] === true ? 'hidden' : undefined
  return view['@type'] === 'ServiceReference'
    ? { service: String(view['serviceId']).slice(0, -environmentKey.length - 1) }
    : view['value']
}

function expectedView(model: Model): View {
  const values: Record<string, Record<string, unknown>> = {}
  for (const { state, bundle, resources } of model.installations) {
    if (state !== 'ACTIVE') continue
    for (const [place, version] of resources) {
      const ofPlace: Record<string, unknown> = (values[place] = {})
      const defined = versionOf(bundle, version).resources[place.slice(bundle.length + 1)] ?? {}
      for (const [key, value] of model.configuration) {
        const property = key.slice(place.length + 1)
        if (!key.startsWith(`${place} `)) continue
        // a value without a definition is hidden, because it may be sensitive
        const isHidden = defined[property] === undefined || defined[property].isSensitive === true
        ofPlace[property] = isHidden ? 'hidden' : value
      }
      for (const [property, { isSensitive }] of Object.entries(defined))
        if (isSensitive && !(property in ofPlace)) ofPlace[property] = undefined
    }
  }
  const id = (index: number | null): string | null =>
    index === null ? null : required(model.operations[index]).id
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
    heldCalls: PLUGINS.map((name) => model.operations.filter(({ waitsFor }) => waitsFor === name).length),
  }
}

const byId = (a: { id: unknown }, b: { id: unknown }): number => (String(a.id) < String(b.id) ? -1 : 1)
