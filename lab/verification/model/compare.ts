import { isDeepStrictEqual } from 'node:util'
import type { Configuration } from '#contract/runtime-api/configuration.ts'
import type { Installation } from '#contract/runtime-api/installations.ts'
import type { Operation } from '#contract/runtime-api/operations.ts'
import { until } from '#runtime/testing/stream.ts'
import { PLUGINS, versionOf } from './bundles.ts'
import { required } from './state.ts'
import type { Model } from './state.ts'
import type { TestScope } from './test-scope.ts'

// Compares the responses of the API with the state of the model. Responses are cast to the types of their rows: a
// response of another shape differs from the model.

const DEADLINE_MS = 15_000

type View = Record<string, unknown>

/** Waits until the API shows the state of one of the models. Returns that model, or how the API differs from the first. */
export async function awaitOneOf(
  scope: TestScope,
  models: readonly Model[],
): Promise<{ model: Model } | { difference: string }> {
  const expected = models.map((model) => ({ model, view: expectedView(model) }))
  const deadline = performance.now() + DEADLINE_MS
  let seen: { model: Model } | { difference: string } | undefined
  await until(async () => {
    const operations = await readOperations(scope)
    const possible = expected.filter(({ view }) => isDeepStrictEqual(view.operations, operations))
    const isLate = performance.now() > deadline
    if (possible.length === 0 && !isLate) return false
    const actual = { operations, ...(await readOthers(scope)) }
    const found = possible.find(({ view }) => isDeepStrictEqual(view, actual))
    if (found !== undefined) seen = { model: found.model }
    else if (isLate) seen = { difference: differenceOf(expected[0]?.view ?? {}, actual) }
    return seen !== undefined
  })
  return required(seen)
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
  const { items } = answer.data as unknown as { items: Operation[] }
  return items
    .map(({ operationId, failure, state, ...row }) => ({
      id: operationId,
      operationType: row.operationType,
      currentVersion: row.currentVersion,
      targetVersion: row.targetVersion,
      executionSequence: row.executionSequence,
      run: row.run,
      phase: row.phase,
      takesOver: row.takesOver,
      state: state === 'PENDING' || state === 'WAITING' ? 'RUNNING' : state,
      errorCode: state === 'FAILED' || state === 'TAKEN_OVER' ? (failure?.errorCode ?? null) : null,
    }))
    .toSorted(byId)
}

async function readOthers(scope: TestScope): Promise<View> {
  const { runtime, environmentKey } = scope
  const answer = await runtime.call(`/installations?environmentKey=${environmentKey}&limit=200`)
  const { items } = answer.data as unknown as { items: Installation[] }
  const configuration = await runtime.call(scope.configurationPath)
  const found =
    configuration.errorCode === 'NOT_FOUND' ? null : (configuration.data as unknown as Configuration)
  const prefix = `${environmentKey}/`
  return {
    installations: items
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
    blockedCalls: PLUGINS.map((name) => scope.plugins.blockedCalls(scope.pluginId(name))),
  }
}

/** For a sensitive value the API shows only whether it is set. */
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
    blockedCalls: PLUGINS.map((name) => model.operations.filter(({ waitsFor }) => waitsFor === name).length),
  }
}

const byId = (a: { id: unknown }, b: { id: unknown }): number => (String(a.id) < String(b.id) ? -1 : 1)
