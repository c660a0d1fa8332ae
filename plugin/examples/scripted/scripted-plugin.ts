import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { JSONWebKeySet } from 'jose'
import { failureEnvelope } from '#contract/protocol/envelope.ts'
import type { LifecycleRequest } from '#contract/protocol/lifecycle.ts'
import type { LifecycleCall } from '#plugin-sdk/src/call.ts'
import { definePlugin, type PluginHandler } from '#plugin-sdk/src/define-plugin.ts'
import {
  listen,
  sendResponse,
  toRequest,
  type Listening,
  type NodeListener,
} from '#plugin-sdk/src/node-listener.ts'
import { applied, failed, notApplied, unknown, verified, type HandlerResult } from '#plugin-sdk/src/result.ts'
import { sqliteStore, type SqliteStore } from '#plugin-sdk/src/sqlite-store.ts'
import { handleControlRequest } from './control-api.ts'
import { describeArrival, readLeniently, sha256 } from './arrival.ts'
import { addWrites, garbageFor, json, send, sendSlowly, type RawAnswer } from './misbehave.ts'
import { countEffect, recordCall, recordEnd, SCRIPT_SCHEMA, useRule } from './script-store.ts'
import { HONEST, type Behaviour } from './script.ts'
import { type SqliteTransaction } from '#plugin-sdk/src/sqlite-store.ts'

export interface ScriptedPluginOptions {
  /** Script, log and memory are stored in `scripted.sqlite` in this folder, which is created if missing. */
  dataDir: string
  /** Default `scripted-hooks`. */
  pluginId?: string
  /** Where the public keys for the runtime's tokens are. */
  platformApiBase: string
  /** The `iss` of the runtime's tokens; default: the platform's address. */
  issuer?: string
  /** True (the default): verify with the platform's keys; a key set: verify with these; false accepts calls from anyone. */
  verify?: boolean | JSONWebKeySet
}

export interface ScriptedPlugin {
  /** `POST /lifecycle`; `GET, PUT, POST, DELETE /script`; `GET, DELETE /log`. The control paths need no authentication. */
  listener: NodeListener
  /** Closing it cuts hanging calls and closes the store. */
  listen(port?: number, host?: string): Promise<Listening>
  close(): Promise<void>
}

/**
 * A plugin that follows a script. A call that no rule matches is applied immediately and honestly. Honest responses go
 * through the SDK; all others are built from raw bytes, with the effect before them (`afterEffect`) or without any.
 */
export function createScriptedPlugin(options: ScriptedPluginOptions): ScriptedPlugin {
  const { dataDir, pluginId = 'scripted-hooks', ...trust } = options
  const store = sqliteStore(join(dataDir, 'scripted.sqlite'), { schema: SCRIPT_SCHEMA })
  const scripted = new AsyncLocalStorage<Behaviour>()
  const perform = (call: LifecycleCall<SqliteTransaction>): Promise<HandlerResult> =>
    call.conclude((tx) => performOnce(tx, call, scripted.getStore() ?? HONEST))
  const honest = definePlugin({
    pluginId,
    store,
    ...trust,
    handle: { BEFORE_RESOURCES: perform, AFTER_RESOURCES: perform },
    // its failures are scripted, and the demo repeats some of them every minute
    log: () => {},
  })
  const listener: NodeListener = (incoming, outgoing) => {
    serve({ store, honest, scripted }, incoming, outgoing).catch(() => outgoing.destroy())
  }
  return {
    listener,
    async listen(port, host) {
      const listening = await listen(listener, port, host)
      const close: Listening['close'] = async ({ graceMs = 500 } = {}) => {
        await listening.close({ graceMs })
        await store.close()
      }
      return { ...listening, close }
    },
    close: () => store.close(),
  }
}

interface Scripted {
  store: SqliteStore
  honest: PluginHandler
  /** The scripted behaviour for the call being handled. */
  scripted: AsyncLocalStorage<Behaviour>
}

function performOnce(
  tx: SqliteTransaction,
  { operation, stage, installation, executionSequence }: LifecycleCall<SqliteTransaction>,
  { kind }: Behaviour,
): HandlerResult {
  if (kind === 'not-applied') return notApplied()
  if (kind === 'fail') return failed()
  if (kind === 'unknown') return unknown()
  const { operationId } = operation
  countEffect(tx, { operationId, stage, bundleInstallId: installation.bundleInstallId, executionSequence })
  return kind === 'verify' ? verified() : applied()
}

async function serve(
  { store, honest, scripted }: Scripted,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const arrived = await toRequest(incoming)
  const controlled = await handleControlRequest(arrived, store)
  if (controlled !== null) return sendResponse(controlled, outgoing)
  const { method, headers, url } = arrived
  const body = Buffer.from(await arrived.arrayBuffer())
  const request = new URL(url).pathname === '/lifecycle' ? readLeniently(body) : null
  const { rule, id } = await store.transaction((tx) => {
    const taken = request === null ? null : useRule(tx, request)
    return { rule: taken, id: recordCall(tx, describeArrival({ arrived, body, request, rule: taken })) }
  })
  if (new URL(url).pathname !== '/lifecycle') return finish(store, id, outgoing, json('{}', 404))

  const behaviour = rule?.rule.behaviour ?? HONEST
  const callHonestHandler = async (): Promise<RawAnswer> => {
    const again = new Request(url, { method, headers, ...(body.length > 0 ? { body } : {}) })
    const response = await scripted.run(behaviour, () => honest(again))
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    }
  }
  if (request === null) return finish(store, id, outgoing, await callHonestHandler())
  await wait(rule?.rule.delayMs ?? 0)
  await behave({ behaviour, request, callHonestHandler, outgoing, store, id })
}

interface Turn {
  behaviour: Behaviour
  request: LifecycleRequest
  callHonestHandler: () => Promise<RawAnswer>
  outgoing: ServerResponse
  store: SqliteStore
  id: number
}

async function behave({ behaviour, request, callHonestHandler, outgoing, store, id }: Turn): Promise<void> {
  if ('afterEffect' in behaviour && behaviour.afterEffect) await callHonestHandler()
  switch (behaviour.kind) {
    case 'apply':
    case 'verify':
    case 'not-applied':
    case 'fail':
    case 'unknown':
      return finish(store, id, outgoing, await callHonestHandler())
    case 'failure-envelope': {
      const { errorCode, message, retryable, nullData, errorPath } = behaviour
      const failure = nullData
        ? null
        : { message, retryable, ...(errorPath === undefined ? {} : { errorPath }) }
      return finish(store, id, outgoing, json(JSON.stringify(failureEnvelope(errorCode, failure))))
    }
    case 'write': {
      const answer = await callHonestHandler()
      const body = addWrites(answer.body, behaviour.writes, request)
      return finish(store, id, outgoing, { ...answer, body })
    }
    case 'slow': {
      const answer = await callHonestHandler()
      await recordResponse(store, id, answer.status, answer.body)
      return sendSlowly(outgoing, answer, behaviour.ms)
    }
    case 'garbage':
      return finish(store, id, outgoing, garbageFor(behaviour.garbage, request))
    case 'status': {
      const { status, location = '/redirected' } = behaviour
      const headers = { 'content-type': 'text/plain', ...(status < 400 ? { location } : {}) }
      return finish(store, id, outgoing, { status, headers, body: `The script requests status ${status}` })
    }
    case 'hang':
      await sleepUntilDisconnect(outgoing, behaviour.ms)
      await recordResponse(store, id, null, null)
      outgoing.destroy()
      return
    case 'reset':
      await recordResponse(store, id, null, null)
      outgoing.destroy()
  }
}

async function finish(
  store: SqliteStore,
  id: number,
  outgoing: ServerResponse,
  answer: RawAnswer,
): Promise<void> {
  await recordResponse(store, id, answer.status, answer.body)
  send(outgoing, answer)
}

// Recorded before it is sent, so that a log read after the response contains it.
const recordResponse = (
  store: SqliteStore,
  id: number,
  status: number | null,
  body: string | null,
): Promise<void> =>
  store.transaction((tx) =>
    recordEnd(tx, id, {
      status,
      answerSha256: body === null ? null : sha256(body),
      endedAt: new Date().toISOString(),
    }),
  )

/** Waits this long, or until the caller has disconnected. */
const sleepUntilDisconnect = (outgoing: ServerResponse, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    outgoing.once('close', () => {
      clearTimeout(timer)
      resolve()
    })
  })
