import { isDeepStrictEqual } from 'node:util'
import type { InstallationIdentity } from '../../../../contract/protocol/scope.ts'
import type { OperationType, Stage } from '../../../../contract/protocol/vocabulary.ts'
import type { Profile } from '../profile.ts'
import { buildCall, type Call, type CallOptions } from '../wire/build-call.ts'
import { signToken, type Signature } from '../wire/keys.ts'
import type { Platform } from '../wire/platform.ts'
import type { Random } from '../wire/random.ts'
import { describeAnswer, isDone, isUndecided, readAnswer, type Answer } from '../wire/read-answer.ts'
import type { Delivery, Exchange, Sender } from '../wire/send.ts'
import type { Host } from './host.ts'
import { fetchThroughRestarts, readState } from './state.ts'

/** The plugin broke the rule of the case. */
export class CaseFailed extends Error {
  override readonly name = 'CaseFailed'
  /** Whether no other call at the same time can be the cause. */
  readonly isCertain: boolean

  constructor(message: string, isCertain = false) {
    super(message)
    this.isCertain = isCertain
  }
}

/** The case could not reach what it tests, because an ordinary call did not succeed. */
export class CaseBlocked extends Error {
  override readonly name = 'CaseBlocked'
}

/** The profile or the plugin gives nothing on which the case could be judged. */
export class CaseUntested extends Error {
  override readonly name = 'CaseUntested'
}

/** What every case of a run shares. */
export interface Bench {
  profile: Profile
  url: string
  sender: Sender
  platform: Platform
  host: Host | null
  /** The time in the ids of the run, in milliseconds since 1970. */
  idTime: number
  /** The error codes of the plugin's responses so far. */
  codes: Set<string>
  /** How many calls never got a definite result: after some, the checker no longer waits long for others. */
  unsettled: { count: number }
  /** What several cases are judged on, by name; each is made once. */
  shared: Map<string, unknown>
  /** Which installation got an issued value, by property and value. */
  issued: Map<string, string>
}

/** An exchange with what it says. */
export interface Sent {
  /** Null if the bytes are not those of a call. */
  call: Call | null
  /** The header with the token. */
  authorization: string | null
  exchange: Exchange
  answer: Answer
  /** With a token for it, over a connection that was not cut: the plugin must answer it as the call that it is. */
  isValid: boolean
  /** How many exchanges of the trial had ended when this one began. */
  begunAfter: number
}

export interface TokenChanges {
  claims?: Readonly<Record<string, unknown>>
  signature?: Signature
  /** Replaces the whole header; null sends none. */
  authorization?: string | null
}

export interface Installation {
  identity: InstallationIdentity
  /** A new operation; its calls have the same operationId. */
  operation(type: OperationType, sequence: number, options?: Partial<CallOptions>): Operation
}

export interface Operation {
  before: Call
  after: Call
  /** The same operation and stage with other content. */
  variant(stage: Stage, options: Partial<CallOptions>): Call
}

/** One run of one case: its installations, its calls and its checks. */
export interface Trial extends Bench {
  random: Random
  /** Every exchange so far, in the order in which they ended. */
  sent: Sent[]
  /** How many calls of the platform and of services there were before, and how many texts were handed out. */
  from: { calls: number; serviceCalls: number; material: number }
  install(changes?: Partial<Pick<InstallationIdentity, 'workspaceId' | 'bundleInstallId'>>): Installation
  send(call: Call, delivery?: Delivery, token?: TokenChanges): Promise<Sent>
  /** Sends a body that is not a call; the token is for `like`. */
  sendBytes(bytes: Buffer, like: Call, delivery?: Delivery, token?: TokenChanges): Promise<Sent>
  /**
   * Like the runtime: repeats the same bytes with new tokens while the result is uncertain or the failure is to be
   * retried, at most as long as the profile allows. Returns the last exchange.
   */
  settle(call: Call, options?: SettleOptions): Promise<Sent>
  /** Like settle, with a body that is not a call. */
  settleBytes(bytes: Buffer, like: Call, options?: SettleOptions): Promise<Sent>
  /** Like settle, and blocks the case if the call does not succeed. */
  finish(call: Call): Promise<Sent & { answer: Extract<Answer, { kind: 'success' }> }>
  /** Both stages of an operation. */
  complete(operation: Operation): Promise<void>
  /** The business state of the installation; null if the profile has no state address. */
  state(installation: Installation): Promise<unknown>
  /** Makes the plugin fail for a while, or slow, as the profile says, for as long as the work takes. */
  provoke<Result>(kind: 'temporaryFailure' | 'slow', work: () => Promise<Result>): Promise<Result>
  /** Fails the case unless it is right. */
  check(isRight: boolean, problem: string): void
  /** Fails unless the response is equal to an earlier one in code, outcome and writes. */
  checkSame(first: Sent, again: Sent, what: string): void
  /** Fails unless the business state is equal to an earlier one; the order of keys does not matter. */
  checkSameState(installation: Installation, before: unknown, problem: string): Promise<void>
  /** Fails unless the response is a failure that the runtime does not repeat. */
  checkRefused(sent: Sent, what: string): void
  /** Like checkRefused; a 4xx status is right, too. */
  checkRejected(sent: Sent, what: string): void
  /** Blocks the case. */
  requires(isGiven: boolean, problem: string): void
  /** Ends the case as not tested: nothing is known about the rule. */
  untested(reason: string): never
}

export interface SettleOptions {
  delivery?: Delivery
  token?: TokenChanges
  /** Instead of the time in the profile. */
  withinMs?: number
}

const FIRST_PAUSE_MS = 20
const PAUSE_MAX_MS = 500
const RESTART_PAUSE_MAX_MS = 700
const ATTEMPTS_MIN = 4
/** After so many calls without a definite result, such a plugin is not waited for as long as the profile allows. */
const UNSETTLED_MAX = 3
const IMPATIENT_MS = 250
/** A plugin that makes up codes does not fill the memory. */
const CODES_MAX = 1_000

export function createTrial(bench: Bench, random: Random): Trial {
  const sent: Sent[] = []

  const check: Trial['check'] = (isRight, problem) => {
    if (!isRight) throw new CaseFailed(problem)
  }
  const requires: Trial['requires'] = (isGiven, problem) => {
    if (!isGiven) throw new CaseBlocked(problem)
  }

  async function deliver(
    bytes: Buffer,
    like: Call,
    call: Call | null,
    delivery?: Delivery,
    token?: TokenChanges,
  ): Promise<Sent> {
    const authorization =
      token?.authorization === undefined ? `Bearer ${tokenFor(bench, like, token)}` : token.authorization
    const { operation, stage, installation } = like.request
    const begunAfter = sent.length
    if (operation.operationType !== 'INSTALL' || stage !== 'BEFORE_RESOURCES')
      bench.platform.activate(installation.bundleInstallId, operation.operationType)
    const exchange = await sendThroughRestarts(bytes, authorization, delivery)
    const isWhole = delivery?.cutRequestAt === undefined && delivery?.loseResponse !== true
    const isValid = call !== null && isWhole && isPlainToken(token)
    const result = { call, authorization, exchange, answer: readAnswer(exchange), isValid, begunAfter }
    sent.push(result)
    if (operation.operationType === 'DETACH' && stage === 'AFTER_RESOURCES' && isDone(result.answer))
      bench.platform.deactivate(installation.bundleInstallId)
    if (result.answer.kind === 'failure' && bench.codes.size < CODES_MAX)
      bench.codes.add(result.answer.errorCode.slice(0, 128))
    return result
  }

  /**
   * A plugin that others run may be restarted by them at any moment. The runtime repeats a call whose connection was lost
   * or refused, and so does this, a few times.
   */
  async function sendThroughRestarts(
    bytes: Buffer,
    authorization: string | null,
    delivery: Delivery = {},
  ): Promise<Exchange> {
    const isPlain = delivery.cutRequestAt === undefined && delivery.loseResponse !== true
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      const exchange = await bench.sender.send(bytes, authorization, delivery)
      const isLost = exchange.response === null && !exchange.isTimedOut
      const mayRestart = bench.host === null && isPlain && bench.unsettled.count < UNSETTLED_MAX
      if (!isLost || !mayRestart || pause > RESTART_PAUSE_MAX_MS) return exchange
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

  async function settle(attempt: () => Promise<Sent>, limitMs?: number): Promise<Sent> {
    const isPatient = bench.unsettled.count < UNSETTLED_MAX
    const withinMs = limitMs ?? (isPatient ? bench.profile.settlesWithinMs : IMPATIENT_MS)
    const giveUpAt = performance.now() + withinMs
    let pause = FIRST_PAUSE_MS
    for (let attempts = 1; ; attempts++) {
      const result = await attempt()
      if (!isUndecided(result.answer)) return result
      // on a busy machine, one attempt can take all of the time
      const isEnough = attempts >= ATTEMPTS_MIN || limitMs !== undefined || !isPatient
      if (isEnough && performance.now() + pause > giveUpAt) {
        if (limitMs === undefined) bench.unsettled.count++
        return result
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
      pause = Math.min(pause * 2, PAUSE_MAX_MS)
    }
  }

  const trial: Trial = {
    ...bench,
    random,
    sent,
    from: {
      calls: bench.platform.calls.length,
      serviceCalls: bench.platform.services.calls.length,
      material: bench.platform.material.length,
    },
    check,
    requires,
    untested(reason) {
      throw new CaseUntested(reason)
    },
    install: (changes = {}) => newInstallation(bench, random, changes),
    send: (call, delivery, token) => deliver(call.bytes, call, call, delivery, token),
    sendBytes: (bytes, like, delivery, token) => deliver(bytes, like, null, delivery, token),
    settle: (call, options = {}) =>
      settle(() => trial.send(call, options.delivery, options.token), options.withinMs),
    settleBytes: (bytes, like, options = {}) =>
      settle(() => trial.sendBytes(bytes, like, options.delivery, options.token), options.withinMs),
    async finish(call) {
      const result = await trial.settle(call)
      const { answer } = result
      if (answer.kind === 'success' && isDone(answer)) return { ...result, answer }
      const { operationType } = call.request.operation
      const advice = isUndecided(answer) ? ' The profile says in settlesWithinMs how long that may take.' : ''
      throw new CaseBlocked(
        `${operationType} ${call.request.stage} did not succeed: ${describeAnswer(answer)}.${advice}`,
      )
    },
    async complete({ before, after }) {
      await trial.finish(before)
      await trial.finish(after)
    },
    async provoke(kind, work) {
      const control = bench.profile.provoke[kind]
      if (control === undefined) throw new CaseBlocked(`The profile has no provoke.${kind}`)
      await post(control.begin, kind)
      try {
        return await work()
      } finally {
        await post(control.end, kind)
      }
    },
    state: (installation) => readState(bench.profile.state, installation.identity.bundleInstallId),
    checkSame(first, again, what) {
      check(
        again.answer.kind === first.answer.kind && isDeepStrictEqual(essence(first), essence(again)),
        `${what} got another response: first ${describeAnswer(first.answer)}, then ${describeAnswer(again.answer)}${writesDiffer(first, again)}`,
      )
    },
    async checkSameState(installation, before, problem) {
      check(isDeepStrictEqual(before, await trial.state(installation)), problem)
    },
    checkRefused({ answer }, what) {
      if (isRefusal(answer)) return
      const problem = `${what} must be refused with a failure that is not retryable, but got ${describeAnswer(answer)}`
      throw new CaseFailed(problem, isDone(answer))
    },
    checkRejected({ answer }, what) {
      if (answer.kind === 'refused' || isRefusal(answer)) return
      const problem = `${what} must be refused permanently, but got ${describeAnswer(answer)}`
      throw new CaseFailed(problem, isDone(answer))
    },
  }
  return trial
}

const isRefusal = (answer: Answer): boolean => answer.kind === 'failure' && answer.retryable !== true

/** Signed by a key of the platform, for the call. */
const isPlainToken = (token: TokenChanges | undefined): boolean =>
  token?.authorization === undefined && token?.claims === undefined && token?.signature === undefined

async function post(url: string, kind: string): Promise<void> {
  const response = await fetchThroughRestarts(url, 'POST')
  if (response === null || response.status > 299)
    throw new CaseBlocked(
      `${url} in provoke.${kind} of the profile did not respond to a POST with success. Fix it or remove it`,
    )
}

function tokenFor({ platform, profile }: Bench, { request }: Call, changes?: TokenChanges): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: platform.url,
    aud: profile.pluginId,
    sub: request.operation.operationId,
    stage: request.stage,
    executionSequence: request.executionSequence,
    iat: now,
    exp: now + 300,
    ...changes?.claims,
  }
  return signToken(claims, changes?.signature ?? { by: 'key', key: platform.keys[0] })
}

function newInstallation(
  { profile, idTime }: Bench,
  random: Random,
  changes: Partial<InstallationIdentity>,
): Installation {
  const [environmentKey = '', bundleId = ''] = (Object.keys(profile.resources)[0] ?? '').split('/')
  const identity: InstallationIdentity = {
    environmentKey: 'check',
    applicationRuntimeId: 'plugin-check',
    workspaceId: 7,
    bundleInstallId: random.uuid(idTime),
    bundle: { environmentKey, bundleId },
    ...changes,
  }
  return {
    identity,
    operation(type, sequence, more = {}) {
      const operationId = more.operationId ?? random.uuid(idTime)
      const call = (stage: Stage, options: Partial<CallOptions>): Call =>
        buildCall(profile, identity, { type, sequence, stage, ...more, ...options, operationId })
      return {
        before: call('BEFORE_RESOURCES', {}),
        after: call('AFTER_RESOURCES', {}),
        variant: call,
      }
    },
  }
}

/** What must be the same in a repeat. */
export const essence = ({ answer }: Pick<Sent, 'answer'>): unknown =>
  answer.kind === 'success'
    ? { outcome: answer.outcome, writes: answer.writes }
    : { ...answer, message: undefined }

const writesDiffer = (first: Sent, again: Sent): string =>
  first.answer.kind === 'success' &&
  again.answer.kind === 'success' &&
  first.answer.outcome === again.answer.outcome
    ? ', with other writes'
    : ''
