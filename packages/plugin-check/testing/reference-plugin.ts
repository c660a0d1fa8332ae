import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { DEFECTS, type DefectName } from './defects.ts'
import { createParts, type Change, type World } from './reference-parts.ts'
import { openReferenceStore } from './reference-store.ts'
import { Refusal, Unauthorized, Unavailable } from './refusal.ts'
import { STYLES, type StyleName } from './styles.ts'

export interface ReferenceOptions {
  platform: string
  /** Null keeps everything in memory. */
  file: string | null
  /** One broken rule; null for none. */
  defect: DefectName | null
  /** Another correct way to do the same; default: none. */
  style?: StyleName | null
  port?: number
  /** How long each answer takes at least; default 0. */
  answerMs?: number
}

/** How long a call takes while the plugin is slow. */
const SLOW_MS = 300

/**
 * A plugin without the SDK that satisfies every case, and breaks exactly one rule if a defect is planted. It makes one
 * tenant for each Module. `POST /lifecycle` and `GET /tenants`; `POST /fail`, `/heal`, `/slow` and `/fast` are for the
 * checker.
 */
export async function startReferencePlugin({
  platform,
  file,
  defect,
  style = null,
  port = 0,
  answerMs = 0,
}: ReferenceOptions) {
  const world: World = {
    ...openReferenceStore(file),
    platform,
    running: new Map(),
    isBackendDown: false,
    slowMs: 0,
  }
  const changes: Change[] = []
  if (style !== null) changes.push(STYLES[style].change)
  if (defect !== null) changes.push(DEFECTS[defect].plant)
  const parts = createParts(world, changes)
  const controls: Record<string, () => void> = {
    '/fail': () => (world.isBackendDown = true),
    '/heal': () => (world.isBackendDown = false),
    '/slow': () => (world.slowMs = SLOW_MS),
    '/fast': () => (world.slowMs = 0),
  }

  const server = createServer((incoming, outgoing) => {
    const [path = '', bundleInstallId = ''] = (incoming.url ?? '').split('?of=')
    const control = controls[path]
    if (control !== undefined) {
      control()
      return send(outgoing, 200, '{}')
    }
    if (path === '/tenants') return send(outgoing, 200, JSON.stringify(listed(world, bundleInstallId)))
    if (path !== '/lifecycle') return send(outgoing, 404, '')
    const refused = parts.refuseHttp(incoming)
    if (refused !== null) return send(outgoing, refused, '')
    wait(answerMs)
      .then(() => parts.answer(incoming))
      .then(
        (text) => send(outgoing, parts.successStatus, text),
        (error: unknown) => {
          if (error instanceof Unauthorized) return send(outgoing, 401, '')
          if (error instanceof Unavailable) return send(outgoing, parts.keylessStatus, '')
          const refusal =
            error instanceof Refusal ? error : new Refusal('INTERNAL', 'Something went wrong', true)
          const { status, text } = parts.composeFailure(refusal)
          send(outgoing, status, text)
        },
      )
  })
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve)
  })
  // A listening server always has such an address.
  const address = server.address() as AddressInfo

  function send(outgoing: ServerResponse, status: number, text: string): void {
    if (outgoing.destroyed) return
    outgoing.writeHead(status, {
      'content-type': parts.contentType,
      ...(parts.isCompressed && { 'content-encoding': 'gzip' }),
    })
    outgoing.end(parts.isCompressed ? gzipSync(text) : text)
  }

  return {
    url: `http://127.0.0.1:${address.port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Those that name the installation, without secrets; all of them if it is empty. */
const listed = ({ state }: World, bundleInstallId: string): unknown[] =>
  Object.entries(state.tenants)
    .map(([key, { accessToken: _token, ...tenant }]) => ({ key, ...tenant }))
    .filter((tenant) => Object.values(tenant).some((value) => String(value).includes(bundleInstallId)))
