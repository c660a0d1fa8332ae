import { CONSOLE_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { Outbound, OutboundResult } from '#http-kit/outbound-result.ts'
import type { AssertedPerson, AssertionKey } from './actor-assertion.ts'

/** Whether the runtime accepts the credential and the assertions of this console. */
export type RuntimeVerdict = 'accepted' | 'credential-refused' | 'assertion-refused' | 'unavailable'

interface RuntimeCheckOptions {
  outbound: Outbound
  /** `{platform_api_base}/bundle-runtime/api` */
  baseUrl: string
  credential: string
  key: Pick<AssertionKey, 'kid'>
  assertionOf: (person: AssertedPerson) => Promise<string>
  signal?: AbortSignal
}

interface RuntimeCheck {
  /** The last verdict; null before the first. Keeps a refusal while the runtime is unavailable. */
  verdict(): RuntimeVerdict | null
  /** Whether the runtime responded to the last check; null before the first. */
  isReachable(): boolean | null
  stop(): Promise<void>
}

const CONSOLE = { id: CONSOLE_ACTOR_ID, name: 'Bundle Console', grants: [] }
const TIMEOUT_MS = 5_000
/** The pause between checks: `retry` until the runtime accepts this console, `repeat` afterwards. */
const PAUSES_MS = { retry: 5_000, repeat: 15_000 }

/** Sends one request on behalf of a person without permissions, so the runtime returns no data. Does not throw on failure. */
export async function checkRuntime(options: RuntimeCheckOptions): Promise<RuntimeVerdict> {
  const result = await options.outbound.request({
    method: 'GET',
    url: `${options.baseUrl}/scopes`,
    headers: {
      authorization: `Bearer ${options.credential}`,
      'x-runtime-actor-assertion': await options.assertionOf(CONSOLE),
    },
    body: null,
    timeoutMs: TIMEOUT_MS,
    ...(options.signal !== undefined && { signal: options.signal }),
  })
  return verdictOf(result)
}

function verdictOf(result: OutboundResult): RuntimeVerdict {
  if (result.kind === 'failed') return 'unavailable'
  if (result.status === 200) return 'accepted'
  if (result.status !== 401) return 'unavailable'
  const challenge = result.headers['www-authenticate'] ?? ''
  return challenge.includes('Actor-Assertion') ? 'assertion-refused' : 'credential-refused'
}

/** What to do about a verdict; null if there is nothing to do. */
export function adviceFor(verdict: RuntimeVerdict, kid: string): string | null {
  switch (verdict) {
    case 'accepted':
    case 'unavailable':
      return null
    case 'credential-refused':
      return 'the runtime does not accept the credential of this console: set RUNTIME_API_CREDENTIAL to one of the credentials in the configuration of the runtime'
    case 'assertion-refused':
      return (
        `the runtime does not accept assertions signed with the key ${kid} of this console: add the key to the key set in ACTOR_ASSERTION_JWKS of the runtime, ` +
        'or give all consoles the same ACTOR_ASSERTION_KEY_FILE; also check that the clocks agree'
      )
  }
}

/**
 * Checks a remote runtime every 15 s, or every 5 s until it accepts this console, and logs when it begins or stops
 * refusing this console. Without this check, people could sign in and every page would fail.
 */
export function startRuntimeCheck(options: RuntimeCheckOptions & { log: Log }): RuntimeCheck {
  const { log, key } = options
  const stopping = new AbortController()
  let verdict: RuntimeVerdict | null = null
  let isReachable: boolean | null = null
  const check = async (): Promise<void> => {
    const next = await checkRuntime({ ...options, signal: stopping.signal })
    isReachable = next !== 'unavailable'
    const advice = adviceFor(next, key.kid)
    if (advice !== null && next !== verdict) log.error(advice)
    if (next === 'accepted' && verdict !== null && adviceFor(verdict, key.kid) !== null)
      log.warn('the runtime accepts this console again')
    // an unavailable runtime does not change the last known refusal
    if (next !== 'unavailable' || verdict === null || verdict === 'accepted') verdict = next
  }
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await check().catch((error: unknown) => log.warn('the runtime could not be checked', {}, error))
      const pauseMs = verdict === 'accepted' ? PAUSES_MS.repeat : PAUSES_MS.retry
      await systemClock.sleep(pauseMs, stopping.signal).catch(() => undefined)
    }
  }
  const running = run()
  return {
    verdict: () => verdict,
    isReachable: () => isReachable,
    async stop() {
      stopping.abort()
      await running
    },
  }
}
