import { systemClock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import type { Outbound, OutboundResult } from '#http-kit/outbound-types.ts'
import type { AssertedPerson, AssertionKey } from './actor-assertion.ts'

/** Whether the runtime accepts the credential and the assertions of this console. */
export type RuntimeVerdict = 'accepted' | 'credential-refused' | 'assertion-refused' | 'unavailable'

export interface RuntimeCheckOptions {
  outbound: Outbound
  /** `{platform_api_base}/bundle-runtime/api` */
  baseUrl: string
  credential: string
  key: Pick<AssertionKey, 'kid'>
  assertionOf: (person: AssertedPerson) => Promise<string>
  signal?: AbortSignal
}

export interface RuntimeCheck {
  /** The last verdict; null before the first. */
  verdict(): RuntimeVerdict | null
  stop(): Promise<void>
}

const CONSOLE = { id: 'bundle-console', name: 'Bundle Console', grants: [] }
const TIMEOUT_MS = 5_000
/** Until the runtime accepts this console, and afterwards. */
const PAUSES_MS = { retry: 5_000, repeat: 60_000 }

/** Asks the runtime once. A person without permissions asks, so no data is returned. */
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
      return 'the runtime does not accept the credential of this console: set RUNTIME_API_CREDENTIAL to one that the runtime has'
    case 'assertion-refused':
      return (
        `the runtime does not accept what this console signs with its key ${kid}: add the key to the key set in ACTOR_ASSERTION_JWKS of the runtime, ` +
        'or give all consoles the same ACTOR_ASSERTION_KEY_FILE; also compare the clocks'
      )
  }
}

/**
 * Checks a remote runtime now and then, and logs when it begins or ceases to refuse this console. Without this, people
 * sign in and then every page fails.
 */
export function startRuntimeCheck(options: RuntimeCheckOptions & { log: Log }): RuntimeCheck {
  const { log, key } = options
  const stopping = new AbortController()
  let verdict: RuntimeVerdict | null = null
  const check = async (): Promise<void> => {
    const next = await checkRuntime({ ...options, signal: stopping.signal })
    const advice = adviceFor(next, key.kid)
    if (advice !== null && next !== verdict) log.error(advice)
    if (next === 'accepted' && verdict !== null && adviceFor(verdict, key.kid) !== null)
      log.warn('the runtime accepts this console now')
    // while the runtime is unavailable the last known refusal remains
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
    async stop() {
      stopping.abort()
      await running
    },
  }
}
