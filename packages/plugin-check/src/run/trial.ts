import { isDeepStrictEqual } from 'node:util'
import type { InstallationIdentity } from '../../../../contract/protocol/scope.ts'
import type { OperationType, Stage } from '../../../../contract/protocol/vocabulary.ts'
import type { Profile } from '../profile.ts'
import { buildCall, type Call, type CallOptions } from '../wire/build-call.ts'
import { signToken, type Signature } from '../wire/keys.ts'
import type { Platform } from '../wire/platform.ts'
import type { Random } from '../wire/random.ts'
import { describeAnswer, isDone, isRepeated, readAnswer, type Answer } from '../wire/read-answer.ts'
import type { Delivery, Exchange, Sender } from '../wire/send.ts'
import type { Host } from './host.ts'
import { readState } from './state.ts'

/** The plugin broke the rule of the case. */
export class CaseFailed extends Error {
  override readonly name = 'CaseFailed'
}

/** The case could not reach what it tests, because an ordinary call did not succeed. */
export class CaseBlocked extends Error {
  override readonly name = 'CaseBlocked'
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
}

/** An exchange with what it says. */
export interface Sent {
  call: Call | null
  exchange: Exchange
  answer: Answer
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
  /** Every exchange so far, in order. */
  sent: Sent[]
  install(changes?: Partial<Pick<InstallationIdentity, 'workspaceId' | 'bundleInstallId'>>): Installation
  send(call: Call, delivery?: Delivery, token?: TokenChanges): Promise<Sent>
  /** Sends a body that is not a call; the token is for `like`. */
  sendBytes(bytes: Buffer, like: Call, delivery?: Delivery, token?: TokenChanges): Promise<Sent>
  /** Like the runtime: repeats until the response is definite. Blocks the case if the call does not succeed. */
  finish(call: Call): Promise<Sent & { answer: Extract<Answer, { kind: 'success' }> }>
  /** Both stages of an operation. */
  complete(operation: Operation): Promise<void>
  /** The business state of the installation; null if the profile has no state address. */
  state(installation: Installation): Promise<unknown>
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
}

const ATTEMPTS = 8
const REPEAT_MS = 40
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
    if (operation.operationType !== 'INSTALL' || stage !== 'BEFORE_RESOURCES')
      bench.platform.activate(installation.bundleInstallId)
    const exchange = await bench.sender.send(bytes, authorization, delivery)
    const result = { call, exchange, answer: readAnswer(exchange) }
    sent.push(result)
    if (result.answer.kind === 'failure' && bench.codes.size < CODES_MAX)
      bench.codes.add(result.answer.errorCode.slice(0, 128))
    return result
  }

  const trial: Trial = {
    ...bench,
    random,
    sent,
    check,
    requires,
    install: (changes = {}) => newInstallation(bench, random, changes),
    send: (call, delivery, token) => deliver(call.bytes, call, call, delivery, token),
    sendBytes: (bytes, like, delivery, token) => deliver(bytes, like, null, delivery, token),
    async finish(call) {
      for (let attempt = 1; ; attempt++) {
        const result = await trial.send(call)
        const { answer } = result
        if (answer.kind === 'success' && isDone(answer)) return { ...result, answer }
        const { operationType } = call.request.operation
        requires(
          isRepeated(answer) && attempt < ATTEMPTS,
          `${operationType} ${call.request.stage} did not succeed: ${describeAnswer(answer)}`,
        )
        await new Promise((resolve) => setTimeout(resolve, REPEAT_MS))
      }
    },
    async complete({ before, after }) {
      await trial.finish(before)
      await trial.finish(after)
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
      check(
        answer.kind === 'failure' && answer.retryable !== true,
        `${what} must be refused with a failure that is not retryable, but got ${describeAnswer(answer)}`,
      )
    },
    checkRejected({ answer }, what) {
      const isRejected = answer.kind === 'refused' || (answer.kind === 'failure' && answer.retryable !== true)
      check(isRejected, `${what} must be refused permanently, but got ${describeAnswer(answer)}`)
    },
  }
  return trial
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
