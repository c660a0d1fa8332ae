import { setTimeout as wait } from 'node:timers/promises'
import type { Call } from '../wire/build-call.ts'
import { newSigningKey } from '../wire/keys.ts'
import type { SigningKey } from '../wire/keys.ts'
import type { Sent, Trial } from '../run/trial.ts'
import { describeAnswer, isDone, isFinalFailure } from '../wire/read-answer.ts'
import type { Case } from './case.ts'
import { token } from './tokens.ts'

// Cases about the keys with which a plugin verifies tokens.

const KEPT_CALLS = 6
/** Fetches that are this far apart are seldom enough. */
const FETCH_PAUSE_MS = 1500
/** Longer than the usual pause between two fetches of a key set, which is 30 seconds. */
const NEW_KEY_MS = 35_000
const NEW_KEY_PAUSE_MS = 500
/** The few seconds for which a plugin may keep what it fetched. */
const FEW_SECONDS_MS = 5_000

/** How often the plugin fetches the keys because of some calls. */
async function keyFetchesOf(trial: Trial, sendCall: (call: Call) => Promise<Sent>): Promise<number> {
  const from = trial.platform.keyFetches()
  for (let count = 0; count < KEPT_CALLS; count++)
    await sendCall(trial.install().operation('INSTALL', 1).before)
  return trial.platform.keyFetches() - from
}

/** A call with a token of this key that makes the plugin fetch the keys; null if none does within a few seconds. */
async function sendUntilFetched(
  { platform, send }: Trial,
  call: Call,
  key: SigningKey,
): Promise<Sent | null> {
  const giveUpAt = performance.now() + FEW_SECONDS_MS
  for (;;) {
    const fetches = platform.keyFetches()
    const sent = await send(call, {}, { signature: { by: 'key', key } })
    // what it accepts without a key is accepted too soon
    if (platform.keyFetches() > fetches || sent.answer.kind === 'success') return sent
    if (performance.now() > giveUpAt) return null
    await wait(NEW_KEY_PAUSE_MS)
  }
}

/** A call with a token of this key, while the plugin tries in vain to fetch the keys because of it. */
async function sendWithoutKeys(trial: Trial, key: SigningKey): Promise<Sent> {
  const { before } = trial.install().operation('INSTALL', 1)
  trial.platform.setKeysDown(true)
  try {
    const sent = await sendUntilFetched(trial, before, key)
    return sent ?? trial.untested('the plugin does not fetch the keys again so soon')
  } finally {
    trial.platform.setKeysDown(false)
  }
}

/**
 * Fails for a plugin that refuses a token of a new key for `withinMs`, and after `pauseMs` more still refuses it, although it
 * accepts one of another new key. A plugin that fetches the keys less often accepts neither key, or both.
 */
export async function acceptsNewKey(
  trial: Trial,
  { withinMs, pauseMs }: { withinMs: number; pauseMs: number },
): Promise<void> {
  const hasFetchedAgain = trial.platform.keyFetches() > 1
  const key = newSigningKey()
  const { before } = trial.install().operation('INSTALL', 1)
  // a token can arrive before its key is known everywhere
  await sendUntilFetched(trial, before, key)
  trial.platform.addKey(key)
  const giveUpAt = performance.now() + withinMs
  while (performance.now() <= giveUpAt) {
    const { answer } = await trial.send(before, {}, { signature: { by: 'key', key } })
    if (isDone(answer)) return
    trial.requires(!isFinalFailure(answer), `The INSTALL got ${describeAnswer(answer)}`)
    await wait(NEW_KEY_PAUSE_MS)
  }
  const isAccepted = async (call: Call, by: SigningKey): Promise<boolean> =>
    isDone((await trial.settle(call, { token: { signature: { by: 'key', key: by } } })).answer)
  // what it was asked for just now must not keep it from fetching the keys
  await wait(pauseMs)
  if (await isAccepted(before, key)) return
  const isOtherKnown = await isAccepted(
    trial.install().operation('INSTALL', 1).before,
    trial.platform.addKey(),
  )
  // it may fetch the keys seldom: then it knows neither, or both since just now
  if (isOtherKnown ? await isAccepted(before, key) : hasFetchedAgain)
    trial.untested('the plugin does not fetch the keys again so soon')
  trial.check(false, `A token of a new key was refused for ${withinMs / 1_000} s`)
}

export const KEY_CASES: readonly Case[] = [
  token(
    'second-key',
    {
      title: 'A token of any key in the key set is accepted',
      fix: 'Choose the key by the kid of the token, not the first one.',
    },
    async (trial) => {
      const { before } = trial.install().operation('INSTALL', 1)
      const { answer } = await trial.settle(before, {
        token: { signature: { by: 'key', key: trial.platform.keys[1] } },
      })
      trial.check(isDone(answer), 'A token of the second key was refused')
    },
  ),
  token(
    'no-keys-refused',
    {
      title: 'While the keys of the platform cannot be fetched, no token is accepted without a key for it',
      fix: 'Respond with 503 if you cannot fetch the keys, and do nothing.',
    },
    async (trial) => {
      const { answer } = await sendWithoutKeys(trial, newSigningKey())
      trial.check(answer.kind !== 'success', `The call got ${describeAnswer(answer)}`)
    },
  ),
  token(
    'keys-unavailable',
    {
      title: 'While the keys of the platform cannot be fetched, a call gets 503',
      fix: 'Respond with 503, or with 401 only if you have the key set and it lacks the kid.',
    },
    async (trial) => {
      const { exchange } = await sendWithoutKeys(trial, trial.platform.addKey())
      const status = exchange.response?.status
      trial.check(status === 503, `The call got ${status === undefined ? 'no response' : `status ${status}`}`)
    },
  ),
  token(
    'new-key',
    {
      title: 'A token of a key that was added to the key set is accepted',
      fix: 'Fetch the key set again for a kid that it does not have, at most every few seconds. Do not cache a missing kid for longer than that.',
    },
    (trial) => acceptsNewKey(trial, { withinMs: NEW_KEY_MS, pauseMs: FEW_SECONDS_MS }),
  ),
  token(
    'keys-kept',
    {
      title: 'The keys of the platform are not fetched for every call',
      fix: 'Keep the key set, and fetch it again only for a kid that it does not have.',
    },
    async (trial) => {
      const fetches = await keyFetchesOf(trial, (call) => trial.finish(call))
      trial.check(fetches < KEPT_CALLS / 2, `${KEPT_CALLS} calls led to ${fetches} fetches`)
    },
  ),
  token(
    'keys-kept-from-strangers',
    {
      title: 'Tokens with unknown kids do not make the plugin fetch the keys for each of them',
      fix: 'Fetch the key set again for an unknown kid at most every few seconds.',
    },
    async (trial) => {
      const start = performance.now()
      const fetches = await keyFetchesOf(trial, (call) =>
        trial.send(call, {}, { signature: { by: 'key', key: newSigningKey() } }),
      )
      // a plugin may also let each of these calls wait until it may fetch again
      const isSeldom = (fetches - 1) * FETCH_PAUSE_MS <= performance.now() - start
      trial.check(
        fetches < KEPT_CALLS / 2 || isSeldom,
        `${KEPT_CALLS} calls with unknown kids led to ${fetches} fetches`,
      )
    },
  ),
]
