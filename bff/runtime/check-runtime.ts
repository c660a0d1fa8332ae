import { CONSOLE_ACTOR_ID } from '#contract/runtime-api/vocabulary.ts'
import { systemClock } from '#http-kit/clock.ts'
import type { Log } from '#http-kit/log.ts'
import { failureTraits } from '#http-kit/outbound-result.ts'
import type { Outbound, OutboundResult } from '#http-kit/outbound-result.ts'
import type { AssertedPerson, AssertionKey } from './actor-assertion.ts'
import { failureOfStatus } from './runtime-client.ts'

/** Whether the runtime accepts the credential and the assertions of this console. */
export type RuntimeVerdict = 'accepted' | 'credential-refused' | 'assertion-refused' | 'unavailable'

/** What a check found. */
interface RuntimeFinding {
  verdict: RuntimeVerdict
  /** One line that says what is wrong and what to do; null if nothing is. */
  problem: string | null
}

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
export async function checkRuntime(options: RuntimeCheckOptions): Promise<RuntimeFinding> {
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
  const verdict = verdictOf(result)
  return { verdict, problem: problemOf(verdict, result, options) }
}

function verdictOf(result: OutboundResult): RuntimeVerdict {
  if (result.kind === 'failed') return 'unavailable'
  if (result.status === 200) return isJson(result.contentType) ? 'accepted' : 'unavailable'
  if (result.status !== 401) return 'unavailable'
  const challenge = result.headers['www-authenticate']
  if (/\bactor-assertion\b/i.test(challenge ?? '')) return 'assertion-refused'
  // a proxy that asks for a password has another challenge; one that removes the header says nothing about the credential
  return challenge === undefined || /^bearer\b/i.test(challenge) ? 'credential-refused' : 'unavailable'
}

const isJson = (contentType: string | null): boolean => contentType?.startsWith('application/json') === true

function problemOf(
  verdict: RuntimeVerdict,
  result: OutboundResult,
  { baseUrl, key }: RuntimeCheckOptions,
): string | null {
  switch (verdict) {
    case 'accepted':
      return null
    case 'unavailable':
      return `${new URL(baseUrl).host} cannot be used as the runtime: ${whyUnavailable(result)}`
    case 'credential-refused':
      return 'the runtime does not accept the credential of this console: set RUNTIME_API_CREDENTIAL to one of the credentials in the configuration of the runtime'
    case 'assertion-refused':
      return (
        `the runtime does not accept assertions signed with the key ${key.kid} of this console: add the key to the key set in ACTOR_ASSERTION_JWKS of the runtime, ` +
        'or give all consoles the same ACTOR_ASSERTION_KEY_FILE; also check that the clocks agree'
      )
  }
}

function whyUnavailable(result: OutboundResult): string {
  if (result.kind === 'failed')
    return `${failureTraits(result.reason).text}; check RUNTIME_API_BASE and the runtime`
  const failure = failureOfStatus(result.status, result)
  if (failure.code === 'SERVICE_UNAVAILABLE') return `it is not ready: ${failure.message}`
  if (failure.code === 'RATE_LIMITED')
    return 'it, or a proxy before it, limits the requests of this console (status 429)'
  if (failure.code === 'UPSTREAM_INVALID')
    return `it does not respond as a runtime (status ${result.status}); check RUNTIME_API_BASE and the log of the runtime`
  return `it returns status ${result.status}; check RUNTIME_API_BASE and the proxy`
}

/**
 * Checks a remote runtime every 15 s, or every 5 s until it accepts this console, and logs when it becomes unavailable,
 * and when it begins or stops refusing this console. Without this check, people could sign in and every page would fail.
 */
export function startRuntimeCheck(options: RuntimeCheckOptions & { log: Log }): RuntimeCheck {
  const { log } = options
  const stopping = new AbortController()
  let verdict: RuntimeVerdict | null = null
  let last: RuntimeFinding | null = null
  const check = async (): Promise<void> => {
    const next = await checkRuntime({ ...options, signal: stopping.signal })
    if (stopping.signal.aborted) return
    if (next.problem !== null && next.problem !== last?.problem)
      log[next.verdict === 'unavailable' ? 'warn' : 'error'](next.problem)
    if (next.verdict === 'accepted' && last !== null && last.problem !== null)
      log.warn('the runtime accepts this console again')
    last = next
    // an unavailable runtime does not change the last known refusal
    if (next.verdict !== 'unavailable' || verdict === null || verdict === 'accepted') verdict = next.verdict
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
    isReachable: () => (last === null ? null : last.verdict !== 'unavailable'),
    async stop() {
      stopping.abort()
      await running
    },
  }
}
