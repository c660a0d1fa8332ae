import { createHash } from 'node:crypto'
import { splitName } from '#contract/endpoint/endpoint.ts'
import { Uuid } from '#contract/protocol/keys.ts'
import { Scope } from '#contract/protocol/scope.ts'
import { SUBJECT_MAX } from '#contract/runtime-api/audit.ts'
import { runtimeApi } from '#contract/runtime-api/rows.ts'
import type { RuntimeApi } from '#contract/runtime-api/rows.ts'
import type { AuditAction } from '#contract/runtime-api/vocabulary.ts'
import type { Log } from '#http-kit/log.ts'
import { plainText } from '../plain-text.ts'
import { addEvent } from '../store/audit-events.ts'
import type { NewAuditEvent } from '../store/audit-events.ts'
import type { BffDb } from '../store/tables.ts'

/** Where a request came from. */
export interface Origin {
  /** Empty if unknown. */
  clientAddress: string
  requestId: string
}

export interface KnownPerson {
  id: string
  name: string
  issuer: string | null
}

/** The person of a request, as the audit names them. */
export const knownPerson = ({ id, name, issuer }: KnownPerson): KnownPerson => ({ id, name, issuer })

/** A request that the console refused without calling the runtime. */
export interface RefusedRequest {
  action: AuditAction
  subject: string
  errorCode: string
  scope: Scope | null
  bundleInstallId: string | null
  operationId: string | null
}

/** Stores events for the runtime's audit (docs/decisions/0008-audit.md). */
export interface Recorder {
  /** Called in the transaction that creates the session. */
  signedIn(tx: BffDb, person: KnownPerson, origin: Origin): Promise<void>
  /** Called in the transaction that ends the session. */
  signedOut(tx: BffDb, person: KnownPerson, origin: Origin): Promise<void>
  /**
   * Something else than its sign-out ended a session; called in the transaction. `reason`: what, in words; default: a
   * sign-in beyond the limit of sessions.
   */
  sessionEnded(tx: BffDb, person: KnownPerson, origin: Origin, reason?: string): Promise<void>
  /** Called in the transaction that changes a saved view. `subject`: the view in words. */
  viewChanged(
    tx: BffDb,
    person: KnownPerson,
    change: { action: 'view.create' | 'view.save' | 'view.delete'; subject: string },
    origin: Origin,
  ): Promise<void>
  /** Called in the transaction that changes a service account or its tokens. `subject`: the account in words. */
  serviceAccountChanged(
    tx: BffDb,
    person: KnownPerson,
    change: { action: Extract<AuditAction, `service-account.${string}`>; subject: string },
    origin: Origin,
  ): Promise<void>
  /** `who`: the person, or the name of an existing user, if known. Never throws. */
  signInFailed(
    who: { person: KnownPerson } | { username: string | null },
    errorCode: string,
    origin: Origin,
  ): Promise<void>
  /** Never throws. */
  refused(person: KnownPerson, request: RefusedRequest, origin: Origin): Promise<void>
}

interface RecorderOptions {
  db: BffDb
  log: Log
  /** How long events that anyone can cause are merged; default 60. */
  mergeSeconds?: number | undefined
}

/** The subject of sign-ins and sign-outs. */
const CONSOLE = 'console'
const NO_TARGET = { scope: null, bundleInstallId: null, operationId: null }
/** Client addresses are hashed into this many buckets when failed sign-ins are merged. */
const ADDRESS_BUCKETS = 1_024

export function createRecorder({ db, log, mergeSeconds = 60 }: RecorderOptions): Recorder {
  const addDone = async (
    tx: BffDb,
    { action, subject: whole }: Pick<NewAuditEvent, 'action' | 'subject'>,
    actor: KnownPerson,
    origin: Origin,
  ): Promise<void> => {
    const done = { ...NO_TARGET, ...originOf(origin), action, errorCode: null, actor } as const
    for (const subject of partsOf(whole))
      await addEvent(tx, { ...done, outcome: 'DONE', subject }, { key: null, seconds: 0 })
  }

  /** Stores a refusal, and logs it if it is the first of those that are merged. */
  const addRefusal = async (event: NewAuditEvent, key: Buffer): Promise<void> => {
    const { action, errorCode, requestId, clientAddress, actor } = event
    const fields = { action, errorCode, requestId, clientAddress, actorId: actor?.id }
    try {
      if (await addEvent(db, event, { key, seconds: mergeSeconds })) log.warn('refused', fields)
    } catch (error) {
      log.error('a refusal could not be stored for the audit', fields, error)
    }
  }

  return {
    async signedIn(tx, person, origin) {
      await addDone(tx, { action: 'session.sign-in', subject: CONSOLE }, person, origin)
    },
    async signedOut(tx, person, origin) {
      await addDone(tx, { action: 'session.sign-out', subject: CONSOLE }, person, origin)
    },
    async sessionEnded(tx, person, origin, reason) {
      const subject = reason === undefined ? CONSOLE : `${CONSOLE} (${reason})`
      await addDone(tx, { action: 'session.end', subject }, person, origin)
    },
    async viewChanged(tx, person, change, origin) {
      await addDone(tx, change, person, origin)
    },
    async serviceAccountChanged(tx, person, change, origin) {
      await addDone(tx, change, person, origin)
    },
    signInFailed(who, errorCode, origin) {
      const action = 'session.sign-in'
      const actor = 'person' in who ? who.person : null
      const username = 'username' in who ? who.username : null
      const address = hashOf(origin.clientAddress).readUInt32BE() % ADDRESS_BUCKETS
      const key = hashOf(action, errorCode, ...(actor ? [actor.issuer, actor.id] : [username, address]))
      const event = { ...NO_TARGET, ...originOf(origin), action, errorCode, actor } as const
      return addRefusal({ ...event, outcome: 'REFUSED', subject: username ?? CONSOLE }, key)
    },
    refused(actor, request, origin) {
      const key = hashOf(request.action, actor.issuer, actor.id)
      return addRefusal({ ...request, ...originOf(origin), outcome: 'REFUSED', actor }, key)
    },
  }
}

/**
 * A subject in parts that the runtime takes; it drops an event with a longer one. The roles of a service account may be long, and nothing
 * that was done may be left out.
 */
function partsOf(subject: string): string[] {
  if (subject.length <= SUBJECT_MAX) return [subject]
  const most = SUBJECT_MAX - ' …'.length
  const space = subject.lastIndexOf(' ', most)
  const end = space > '… '.length ? space : most
  return [`${subject.slice(0, end)} …`, ...partsOf(`… ${subject.slice(end).trimStart()}`)]
}

function originOf({ clientAddress, requestId }: Origin) {
  return { clientAddress: clientAddress === '' ? null : clientAddress, requestId }
}

function hashOf(...parts: (string | number | null)[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest()
}

/**
 * The audit event of a request that was refused before validation. It contains only parts of the request that are
 * known to be valid.
 */
export function refusedRequest(
  name: keyof RuntimeApi,
  { params, body, errorCode }: { params: Record<string, string>; body: unknown; errorCode: string },
): RefusedRequest {
  const scope = Scope.safeParse(hasScope(params) ? scopeInPath(params) : scopeInBody(body))
  const ids = Object.values(params).join('/')
  const row = runtimeApi[name]
  return {
    action: 'audit' in row ? row.audit : 'data.read',
    subject: plainText(ids, MAX_SUBJECT_LENGTH) || splitName(name).path,
    errorCode,
    scope: scope.success ? scope.data : null,
    bundleInstallId: uuidOf(params['bundleInstallId']),
    operationId: uuidOf(params['operationId']),
  }
}

function hasScope(params: Record<string, string>): boolean {
  return params['workspaceId'] !== undefined
}

function scopeInPath({ environmentKey, applicationRuntimeId, workspaceId }: Record<string, string>) {
  return { environmentKey, applicationRuntimeId, workspaceId: Number(workspaceId) }
}

function scopeInBody(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'scope' in body ? body.scope : undefined
}

function uuidOf(text: string | undefined): string | null {
  const uuid = Uuid.safeParse(text)
  return uuid.success ? uuid.data : null
}

const MAX_SUBJECT_LENGTH = 200
