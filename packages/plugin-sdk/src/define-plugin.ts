import { createHash } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import type { CompiledAuthorization } from '../../../contract/protocol/authorization.ts'
import type { LifecycleRequest } from '../../../contract/protocol/lifecycle.ts'
import type { Outcome } from '../../../contract/protocol/vocabulary.ts'
import { otherBytes } from './admit.ts'
import { isWithinAuthorization, withoutAccess, type AnswerScope, type WriteDeclarations } from './answer.ts'
import {
  envelopeAnswer,
  failureAnswer,
  problemOf,
  problemAnswer,
  readBody,
  readLifecycleRequest,
  toFetchHandler,
  type HttpCall,
} from './http.ts'
import { authorizationOncePerOperation, type AuthorizationSource } from './read-authorization.ts'
import { handlerOf, requireHandlers, type Handlers } from './handlers.ts'
import type { Credential } from './platform.ts'
import type { ResourceOf, ValuesOf, WritesOf } from './plugins.ts'
import { ReferenceNotResolved, resolveReference, type ResolvedReference } from './resolve-reference.ts'
import { notApplied, PluginFailure, requireResult, sdkFailure } from './result.ts'
import { runCall, type Handler } from './run-call.ts'
import type { Store } from './store.ts'
import { keysOf, matchToken, tokenVerifier, type VerifyToken } from './token.ts'
import { logFailure, type FailedCall, type FailureEntry } from './log-failure.ts'
import { printError } from './print-error.ts'

/** What a definition without `writes` declares. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- no name at all is what is meant
type NoWrites = Readonly<Record<never, never>>

export interface PluginDefinition<
  Tx,
  Declared extends WriteDeclarations = WriteDeclarations,
  Id extends string = string,
> {
  pluginId: Id
  store: Store<Tx>
  handle: Handlers<Tx, keyof NoInfer<Declared> & string, ResourceOf<NoInfer<Id>>, ValuesOf<NoInfer<Id>>>
  /**
   * Every property that a handler may write, and which of them are sensitive. The compiler compares the names with what
   * handlers write. Default: none.
   */
  writes?: Declared & WritesOf<NoInfer<Id>, NoInfer<Declared>>
  /**
   * The authorization that the runtime compiled for this plugin, against which input and writes are checked. Default: it
   * is read from the platform once for each operation, if `platformApiBase` and `credential` are set. A function may
   * return it; null rejects the call. With false, only the runtime enforces it.
   */
  authorization?:
    | false
    | CompiledAuthorization
    | ((request: LifecycleRequest) => CompiledAuthorization | null)
  /** The platform's registered address, used to fetch keys, to read the authorization and to resolve references. */
  platformApiBase?: string
  /** The `iss` of the runtime's tokens; default: the platform's address. */
  issuer?: string
  /**
   * True (default): verify tokens with the platform's keys. A key set: verify with these. False accepts calls from
   * anyone: tests only.
   */
  verify?: boolean | JSONWebKeySet
  /** The plugin's credential on the platform; see also `credentialFromFile`. */
  credential?: Credential
  /** Default 4 MiB. */
  maxRequestBytes?: number
  /** Default 30 s. */
  leaseMs?: number
  /** How long responses of an installation's earlier operations are kept; default 30 days. */
  retentionMs?: number
  /**
   * Receives errors of a handler that are not PluginFailures, with the call in which they occurred, or null if it could not
   * be read; the caller gets no details. Default: print both, without addresses and tokens.
   */
  onError?: (error: unknown, call: FailedCall | null) => void
  /**
   * Receives one entry for each call that does not succeed, whatever the reason: a PluginFailure, a refusal of the SDK, a
   * refused credential, an unexpected error, or the outcome FAILED or UNKNOWN. Default: print it to standard error, as
   * one line of JSON.
   */
  log?: (entry: FailureEntry) => void
  /** Milliseconds since 1970. */
  now?: () => number
}

/** What a definition says apart from its handlers. */
type Settings = Omit<PluginDefinition<unknown>, 'store' | 'handle' | 'writes'>

/** Handles lifecycle calls at any path; for any server that uses fetch-style handlers. */
export type PluginHandler = (request: Request) => Promise<Response>

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Creates a plugin from its handlers. The handler runs once for each operationId and stage until it results in APPLIED,
 * VERIFIED or NOT_APPLIED; that response is stored byte for byte and returned for retries. Throws if the definition is
 * inconsistent.
 */
export function definePlugin<
  Tx,
  Declared extends WriteDeclarations = NoWrites,
  const Id extends string = string,
>(definition: PluginDefinition<Tx, Declared, Id>): PluginHandler {
  const { pluginId, store, now = Date.now } = definition
  requireHandlers(definition.handle)
  const writes: WriteDeclarations = definition.writes ?? {}
  const { maxRequestBytes = 4 * 1024 * 1024, leaseMs = 30_000, retentionMs = 30 * DAY_MS } = definition
  /** What resolutions gave in the call whose handler threw. */
  const accessOf = new WeakMap<object, ReadonlySet<string>>()
  const onError =
    definition.onError ??
    ((error: unknown, call: FailedCall | null) =>
      printError(error, {
        during: call && `Operation ${call.operationId}, ${call.stage} of ${call.operationType}`,
        accessMaterial: (isObject(error) && accessOf.get(error)) || [],
      }))
  const failureLog = { pluginId, log: definition.log }
  const verifyToken = verifierOf(definition)
  const authorize = authorizerOf(definition)
  const running = new Map<string, { fingerprint: string; answer: Promise<string> }>()

  async function answer(http: HttpCall, onRead: (request: LifecycleRequest) => void): Promise<string> {
    const claims = await verifyToken?.(http.header('authorization'))
    const body = await readBody(http, maxRequestBytes)
    const request = readLifecycleRequest(body)
    if (claims !== undefined) matchToken(claims, request)
    if (request.pluginId !== pluginId)
      throw sdkFailure('REQUEST_INVALID', 'pluginId: The request is for another plugin')
    onRead(request)
    return joinOrRun(request, createHash('sha256').update(body).digest('hex'))
  }

  // A retry that arrives while the first call still runs in this process waits for its response instead of failing.
  function joinOrRun(request: LifecycleRequest, fingerprint: string): Promise<string> {
    const key = `${request.stage} ${request.operation.operationId}`
    const first = running.get(key)
    if (first !== undefined) {
      if (first.fingerprint !== fingerprint) throw otherBytes()
      return first.answer
    }
    const result = run(request, fingerprint).finally(() => running.delete(key))
    running.set(key, { fingerprint, answer: result })
    return result
  }

  async function run(request: LifecycleRequest, fingerprint: string): Promise<string> {
    const accessMaterial = new Set<string>()
    const scope: AnswerScope = {
      request,
      writes,
      authorization: null,
      accessMaterial,
    }
    // the types of Plugins say only more of the same values
    const handle = handlerOf(definition.handle as Handlers<Tx>, request) ?? notApplied
    const handler: Handler<Tx> = async (call) => {
      scope.authorization = await authorize(request)
      try {
        const result = await handle(call)
        requireResult(result, `The handler of ${request.operation.operationType} ${request.stage}`)
        const reported = REPORTED[result.outcome]
        if (reported !== undefined) logFailure(failureLog, failedCall(request), reported)
        return result
      } catch (error) {
        if (error instanceof PluginFailure) throw cleaned(error, accessMaterial)
        if (isObject(error)) accessOf.set(error, accessMaterial)
        throw error
      }
    }
    const resolve = async (resource: string, propertyKey: string): Promise<ResolvedReference> => {
      // the platform says the same, but a person would have to wait until the attempts are used up
      if (request.operation.operationType === 'INSTALL' && request.stage === 'BEFORE_RESOURCES')
        throw new ReferenceNotResolved(
          'INSTALLATION_NOT_ACTIVE',
          'A reference resolves from AFTER_RESOURCES of the INSTALL on: resolve it there',
          { retryable: false },
        )
      const resolved = await resolveReference({
        ...platformOf(definition),
        installation: request.installation,
        resource,
        propertyKey,
        now,
      })
      for (const { url, token } of Object.values(resolved.access)) accessMaterial.add(url).add(token)
      return resolved
    }
    return runCall({ store, request, fingerprint, handler, scope, resolve, leaseMs, retentionMs, now })
  }

  return toFetchHandler(async (http) => {
    let call: FailedCall | null = null
    try {
      return envelopeAnswer(await answer(http, (request) => (call = failedCall(request))))
    } catch (error) {
      const problem = problemOf(error)
      if (problem !== null) {
        logFailure(failureLog, call, { errorCode: problem.code, message: problem.message })
        return problemAnswer(problem)
      }
      const isFailure = error instanceof PluginFailure || error instanceof ReferenceNotResolved
      if (!isFailure) onError(error, call)
      const failure = isFailure ? error : internalError()
      logFailure(failureLog, call, failure)
      return failureAnswer(pluginId, failure)
    }
  })
}

const internalError = (): PluginFailure =>
  sdkFailure('PLUGIN_INTERNAL_ERROR', 'The plugin encountered an internal error', true)

/** What the runtime makes of an outcome that is not a success. */
const REPORTED: { readonly [outcome in Outcome]?: { errorCode: string; message: string } } = {
  FAILED: { errorCode: 'PLUGIN_REPORTED_FAILURE', message: 'The handler returned the outcome FAILED' },
  UNKNOWN: { errorCode: 'PLUGIN_RESULT_UNKNOWN', message: 'The handler returned the outcome UNKNOWN' },
}

const failedCall = ({ operation, stage, installation }: LifecycleRequest): FailedCall => ({
  operationId: operation.operationId,
  operationType: operation.operationType,
  stage,
  bundleInstallId: installation.bundleInstallId,
})

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The caller stores the message and shows it, so it must not tell what a resolution gave. */
const cleaned = (failure: PluginFailure, accessMaterial: ReadonlySet<string>): PluginFailure =>
  accessMaterial.size === 0
    ? failure
    : new PluginFailure({
        errorCode: failure.errorCode,
        message: withoutAccess(failure.message, accessMaterial),
        retryable: failure.retryable,
        cause: failure,
      })

function verifierOf({
  pluginId,
  verify = true,
  platformApiBase,
  issuer = platformApiBase,
}: Settings): VerifyToken | null {
  if (verify === false) return null
  if (issuer === undefined) throw new Error('Set platformApiBase or issuer, the issuer of accepted tokens')
  const keys = keysOf(verify === true ? undefined : verify, platformApiBase)
  return tokenVerifier({ pluginId, issuer, keys })
}

/** Returns the authorization to check writes against, or null. Throws if the request contains more than it allows. */
function authorizerOf(definition: Settings): AuthorizationSource {
  const { pluginId, authorization, platformApiBase, credential } = definition
  const read = ((): AuthorizationSource | null => {
    if (authorization === false) return null
    if (typeof authorization === 'function') return async (request) => authorization(request) ?? exceeded()
    if (authorization !== undefined) return async () => authorization
    if (platformApiBase === undefined || credential === undefined) return null
    return authorizationOncePerOperation({ platformApiBase, credential })
  })()
  return async (request) => {
    const compiled = (await read?.(request)) ?? null
    if (compiled !== null && (compiled.pluginId !== pluginId || !isWithinAuthorization(request, compiled)))
      exceeded()
    return compiled
  }
}

function exceeded(): never {
  throw sdkFailure('REQUEST_INVALID', 'The request contains more than this plugin is authorized to read')
}

function platformOf({ platformApiBase, credential }: Settings) {
  if (platformApiBase === undefined || credential === undefined)
    throw new Error('Set platformApiBase and credential: both are needed to resolve a reference')
  return { platformApiBase, credential }
}
