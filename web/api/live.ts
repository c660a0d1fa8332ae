import { focusManager, type QueryClient } from '@tanstack/react-query'
import { referencesCall } from '#contract/console-api/pages/installations.ts'
import type { Operation, RuntimeEvent } from '#contract/console-api/shapes.ts'
import type { Answer, EndpointName } from './client.ts'
import { connectionState, recordEnd, recordState } from '../base/connection.ts'
import { takeDocumentOrigin } from './document-data.ts'
import { followEvents } from './event-stream.ts'
import { invalidateEndpoints, READ_AGAIN_MS } from './query.ts'

/** How long changes are batched before lists, counts and details are refetched. */
const BATCH_MS = 250
/** The same for responses that any change of an installation can affect but seldom does. */
const SELDOM_MS = 5_000

/**
 * Keeps everything shown up to date from the event stream; returns a function that stops it.
 *
 * @param onOperation called with each operation that has changed.
 * @param readAgainMs how often everything shown is read again while no events arrive.
 */
export function startLiveUpdates(
  client: QueryClient,
  onOperation: (operation: Operation) => void,
  readAgainMs = READ_AGAIN_MS,
): () => void {
  const { position, names } = takeDocumentOrigin()
  const soon = batchInvalidations(client, BATCH_MS)
  const seldom = batchInvalidations(client, SELDOM_MS)
  const polling = whileWithoutEvents(client, readAgainMs)
  const stop = followEvents(
    {
      onEvent: (event) => {
        patchCache(client, event)
        if (event.kind === 'operation') onOperation(event.row)
        soon.add(INVALIDATED_BY[event.kind])
        // whether it concerns the person is known to the runtime only
        if (mayConcern(event)) soon.add(INBOX)
        if (event.kind === 'installation') {
          const { bundleInstallId } = event.row.installation
          void client.invalidateQueries({ queryKey: [REFERENCES, referencesCall(bundleInstallId)] })
          seldom.add([
            'GET /installations/{bundleInstallId}/referrers',
            'GET /services/{serviceId}/dependencies',
            'GET /installations/{bundleInstallId}/dependencies',
          ])
        }
      },
      // without a position changes may be missing in the document's responses, and in the editor, which must be current
      onBegin: () =>
        void (connectionState() === 'lost'
          ? client.invalidateQueries()
          : invalidateEndpoints(client, [...names.filter(isNotSession), CONFIGURATION])),
      onReset: () => void client.invalidateQueries(),
      // the session query fails, and the page asks the person to sign in again
      onSignedOut: () => void invalidateEndpoints(client, ['GET /session']),
      onEnd: recordEnd,
      onState: (next) => {
        // reads that failed while the console or the runtime was unavailable
        if (next === 'open' && connectionState() === 'lost')
          void client.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' })
        if (next === 'lost' || next === 'paused') polling.start()
        else polling.stop()
        // whether the console answers requests, although it sends no events
        if (next === 'lost' && connectionState() !== 'lost')
          void invalidateEndpoints(client, ['GET /session'])
        recordState(next)
      },
    },
    position,
  )
  return () => {
    soon.cancel()
    seldom.cancel()
    polling.stop()
    stop()
  }
}

/** Reads what a visible page shows again, from time to time and when the person returns to it. */
function whileWithoutEvents(client: QueryClient, everyMs: number) {
  let stop: (() => void) | null = null
  const read = () => {
    if (document.visibilityState !== 'visible') return
    void client.invalidateQueries({
      predicate: ({ queryKey: [name], observers }) =>
        String(name).startsWith('GET ') &&
        // what never changes, such as a past snapshot
        !(observers.length > 0 && observers.every(({ options }) => options.staleTime === Infinity)),
    })
  }
  return {
    start: () => {
      if (stop !== null) return
      const timer = setInterval(read, everyMs)
      const leave = focusManager.subscribe((isFocused) => isFocused && read())
      stop = () => {
        clearInterval(timer)
        leave()
      }
    },
    stop: () => {
      stop?.()
      stop = null
    },
  }
}

/** Collects endpoints and invalidates them together, `delayMs` after the first. */
function batchInvalidations(client: QueryClient, delayMs: number) {
  const pending = new Set<EndpointName>()
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    add: (names: readonly EndpointName[]) => {
      for (const name of names) pending.add(name)
      timer ??= setTimeout(() => {
        timer = undefined
        const names = [...pending]
        pending.clear()
        void invalidateEndpoints(client, names)
      }, delayMs)
    },
    cancel: () => clearTimeout(timer),
  }
}

const REFERENCES = 'GET /installations/{bundleInstallId}/references' as const

const CONFIGURATION =
  'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration' as const

const PLANS = [
  'POST /installations/plan',
  'POST /installations/{bundleInstallId}/upgrade/plan',
  'POST /installations/{bundleInstallId}/detach/plan',
] as const

const isNotSession = (name: EndpointName) => name !== 'GET /session'

const INBOX = ['GET /inbox', 'GET /inbox/unread', 'GET /follows'] as const

/** Whether a change may be reported to somebody: an end, an assignment, or a detached installation. */
function mayConcern(event: RuntimeEvent): boolean {
  if (event.kind === 'configuration') return false
  if (event.kind === 'installation') return event.row.state === 'DETACHED'
  return event.row.finishedAt !== null || event.row.assignee !== null
}

const INVALIDATED_BY: Record<RuntimeEvent['kind'], readonly EndpointName[]> = {
  operation: [
    'GET /operations',
    'GET /operations/counts',
    'GET /operations/total',
    'GET /causes',
    'GET /causes/hours',
    'GET /causes/{causeId}',
    'GET /operations/{operationId}',
    'GET /operations/{operationId}/attempts',
    'GET /operations/{operationId}/context',
    'GET /operations/{operationId}/comparison',
    'GET /pauses',
    'GET /summary',
    'GET /batches',
    'GET /batches/{batchId}',
    'GET /batches/{batchId}/items',
  ],
  installation: [
    'GET /installations',
    'GET /installations/{bundleInstallId}',
    'GET /installed-versions',
    'GET /installed-versions/scopes',
    'GET /properties',
    'GET /scopes',
    'GET /summary',
    CONFIGURATION,
    ...PLANS,
  ],
  configuration: [
    CONFIGURATION,
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history',
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/configuration/history/people',
    'GET /scopes/{environmentKey}/{applicationRuntimeId}/{workspaceId}/local-services',
    'GET /installations/{bundleInstallId}',
    'GET /properties',
    'GET /scopes',
    ...PLANS,
  ],
}

/** Updates the row of an event in cached responses at once, without waiting for the next request. */
function patchCache(client: QueryClient, event: RuntimeEvent): void {
  if (event.kind === 'operation') {
    const row = event.row
    updateItem(client, 'GET /operations', row, ({ operationId }) => operationId === row.operationId)
    updateCached<Answer<'GET /operations/{operationId}'>>(client, 'GET /operations/{operationId}', (detail) =>
      detail.operationId === row.operationId ? { ...detail, ...(row satisfies Operation) } : undefined,
    )
  }
  if (event.kind === 'installation') {
    const row = event.row
    const isSame = (id: string) => id === row.installation.bundleInstallId
    updateItem(client, 'GET /installations', row, (item) => isSame(item.installation.bundleInstallId))
    updateCached<Answer<'GET /installations/{bundleInstallId}'>>(
      client,
      'GET /installations/{bundleInstallId}',
      (detail) => (isSame(detail.installation.bundleInstallId) ? { ...detail, ...row } : undefined),
    )
  }
}

function updateItem<Row>(
  client: QueryClient,
  name: EndpointName,
  row: Row,
  isSame: (item: Row) => boolean,
): void {
  updateCached<{ items: readonly Row[] }>(client, name, (page) => {
    const index = page.items.findIndex(isSame)
    return index === -1 ? undefined : { ...page, items: page.items.with(index, row) }
  })
}

/** Changes what is cached of an endpoint; what `change` has no answer for stays, and costs nothing more. */
function updateCached<Data>(
  client: QueryClient,
  name: EndpointName,
  change: (data: Data) => Data | undefined,
): void {
  client.setQueriesData<Data>({ predicate: ({ queryKey }) => queryKey[0] === name }, (data) =>
    data === undefined ? undefined : change(data),
  )
}
