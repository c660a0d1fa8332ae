import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { connectTo } from '../run/host.ts'
import type { Delivery } from '../wire/send.ts'
import { replaceIn } from '../wire/build-call.ts'
import type { Trial } from '../run/trial.ts'
import { describeAnswer, isDone } from '../wire/read-answer.ts'
import { caseGroup, type Case } from './case.ts'
import { wholeLife } from './read-response.ts'

const connection = caseGroup('connection', { rule: 'slow-and-cut-connections', kind: 'behaviour' })

/** How long the effect of a cut request is awaited. */
const CUT_EFFECT_MS = 100

const SILENT_TRIES = 3
/** So much longer than usual is a call that something holds up. */
const HELD_UP_MS = 1_000

const delivered = (
  name: string,
  details: Pick<Case, 'title' | 'fix' | 'isBeside'>,
  delivery: Delivery,
): Case =>
  connection(name, details, async (trial) => {
    const { answer } = await trial.settle(trial.install().operation('INSTALL', 1).before, { delivery })
    trial.check(isDone(answer), `The call got ${describeAnswer(answer)}`)
  })

async function checkAlive(trial: Trial): Promise<void> {
  const { answer } = await trial.settle(trial.install().operation('INSTALL', 1).before, {
    delivery: { isNewConnection: true },
  })
  trial.check(answer.kind !== 'uncertain', `Afterwards a call got ${describeAnswer(answer)}`)
}

export const CONNECTION_CASES: readonly Case[] = [
  delivered(
    'slow-request',
    {
      title: 'A request that arrives in parts, within five seconds, succeeds',
      fix: 'Read the body until its end, not one chunk, and wait for it for at least some seconds.',
      isBeside: true,
    },
    { parts: 6, pauseMs: 900, isNewConnection: true },
  ),
  delivered(
    'chunked',
    { title: 'A request without content-length succeeds', fix: 'Support transfer-encoding: chunked.' },
    { isChunked: true, isNewConnection: true },
  ),
  delivered(
    'slow-reader',
    {
      title: 'A response that is read slowly is complete',
      fix: 'Do not close the connection before the response is sent.',
      isBeside: true,
    },
    { readAfterMs: 60, isNewConnection: true },
  ),
  connection(
    'split-character',
    {
      title: 'A character whose bytes arrive in two parts is kept',
      isBeside: true,
      fix: 'Decode the whole body, or decode its parts with a decoder that keeps what is incomplete.',
    },
    async (trial) => {
      const replace = replaceIn(trial.profile, ({ properties, sensitive }) =>
        Object.entries(properties)
          .filter(([name, value]) => typeof value === 'string' && !sensitive.includes(name))
          .map(([name, value]) => [name, `${String(value)} 東`] as const),
      )
      const { before } = trial.install().operation('INSTALL', 1, { replace })
      const splitAt = before.bytes.indexOf('東') + 1
      if (splitAt === 0) trial.untested('no text property of the profile is not sensitive')
      // long enough for a busy machine: parts that arrive together are one
      const delivery = { splitAt, pauseMs: 100, isNewConnection: true }
      const parts = await trial.settle(before, { delivery })
      if (!isDone(parts.answer)) {
        const whole = await trial.settle(trial.install().operation('INSTALL', 1, { replace }).before)
        if (!isDone(whole.answer)) trial.untested('the plugin refuses such values')
        trial.check(false, `The call in two parts got ${describeAnswer(parts.answer)}`)
      }
      trial.checkSame(parts, await trial.settle(before), 'The same call in one part')
    },
  ),
  connection(
    'cut-before-last-chunk',
    {
      title: 'A request whose last chunk is missing has no effect',
      needs: ['state'],
      fix: 'Act only at the end of the body, even if what has arrived is complete JSON. Do not ignore the error of a read.',
    },
    async (trial) => {
      const usual = await trial.finish(trial.install().operation('INSTALL', 1).before)
      const installation = trial.install()
      const { before } = installation.operation('INSTALL', 1)
      const state = await trial.state(installation)
      const cutRequestAt = before.bytes.byteLength
      await trial.send(before, { cutRequestAt, isChunked: true, isNewConnection: true })
      // on a busy machine an effect takes longer
      await new Promise((resolve) => setTimeout(resolve, CUT_EFFECT_MS + 2 * usual.exchange.ms))
      await trial.checkSameState(installation, state, 'The cut request had an effect')
    },
  ),
  connection(
    'many-cut',
    { title: 'Twenty cut requests do not harm the plugin', fix: 'Handle the error of a closed connection.' },
    async (trial) => {
      const calls = Array.from({ length: 20 }, () => trial.install().operation('INSTALL', 1).before)
      await Promise.all(
        calls.map((call) =>
          trial.send(call, {
            cutRequestAt: 1 + trial.random.integer(call.bytes.byteLength - 1),
            isNewConnection: true,
          }),
        ),
      )
      await checkAlive(trial)
    },
  ),
  connection(
    'many-lost',
    {
      title: 'Twenty lost responses do not harm the plugin',
      fix: 'Handle the error of a closed connection.',
    },
    async (trial) => {
      const calls = Array.from({ length: 20 }, () => trial.install().operation('INSTALL', 1).before)
      await Promise.all(calls.map((call) => trial.send(call, { loseResponse: true, isNewConnection: true })))
      await checkAlive(trial)
    },
  ),
  connection(
    'silent',
    {
      title: 'A connection that sends nothing does not hold up others',
      fix: 'Serve each connection by itself: with a thread for each, or asynchronously.',
    },
    async (trial) => {
      const usual = await trial.send(trial.install().operation('INSTALL', 1).before)
      trial.requires(usual.exchange.response !== null, 'An ordinary call got no response')
      const limitMs = usual.exchange.ms * 2 + HELD_UP_MS
      // a busy machine may delay one of them
      for (let tried = 1; tried <= SILENT_TRIES; tried++) {
        const silent = connectTo(trial.url)
        // the plugin may close it at any time
        silent.on('error', () => undefined)
        await Promise.race([once(silent, 'connect'), once(silent, 'close')])
        const call = trial.send(trial.install().operation('INSTALL', 1).before, { isNewConnection: true })
        const isInTime = await Promise.race([call.then(() => true), wait(limitMs, false, { ref: false })])
        silent.destroy()
        await call
        if (isInTime) return
      }
      trial.check(false, `Each time, the other call got no response within ${Math.round(limitMs)} ms`)
    },
  ),
  connection(
    'kept-alive',
    {
      title: 'Several calls on one connection succeed',
      fix: 'Send content-length or chunked encoding, and read each body completely.',
    },
    async (trial) => {
      for (let count = 0; count < 4; count++) await trial.complete(trial.install().operation('INSTALL', 1))
    },
  ),
  connection(
    'in-time',
    {
      title: 'Every call is answered within the time-out',
      fix: 'Return UNKNOWN or a retryable failure before the time-out.',
    },
    {
      run: async (trial) => void (await wholeLife(trial)),
      // one attempt can be late on a busy machine
      review(trial) {
        const late = trial.sent.filter(({ exchange }) => exchange.isTimedOut)
        for (const [index, { exchange }] of late.entries())
          trial.check(
            !late.slice(0, index).some((other) => other.exchange.request.body.equals(exchange.request.body)),
            `Two attempts of a call got ${exchange.problem}`,
          )
      },
    },
  ),
  connection(
    'no-redirect',
    {
      title: 'The endpoint does not redirect',
      kind: 'shape',
      fix: 'Register the final address.',
      rule: 'lifecycle-call',
    },
    async (trial) => {
      const { exchange } = await trial.send(trial.install().operation('INSTALL', 1).before)
      const status = exchange.response?.status ?? 200
      trial.check(status < 300 || status > 399, `The status is ${status}`)
    },
  ),
]
