import { Hono } from 'hono'
import type { Log } from '#http-kit/log.ts'
import type { Metrics } from '#http-kit/metrics.ts'
import { TransportError } from '#http-kit/problem-response.ts'
import { readBody } from '#http-kit/requests.ts'
import { readStrictJson } from '#http-kit/text/strict-json.ts'
import { createTokenBuckets } from '#http-kit/token-bucket.ts'
import type { JsonValue } from '#contract/json-schema/json.ts'
import { REPORTS_PATH } from '../middleware/security-headers.ts'

const BYTES_MAX = 16 * 1024
/** Of one address. A page that violates its policy does so a few times. */
const RATE = { perSecond: 0.2, burst: 20 }

/** Everything else counts as `other`, so that a report cannot add a series to the metrics. */
const DIRECTIVES: ReadonlySet<string> = new Set([
  'script-src',
  'script-src-elem',
  'script-src-attr',
  'style-src',
  'style-src-elem',
  'style-src-attr',
  'img-src',
  'font-src',
  'connect-src',
  'form-action',
  'frame-src',
  'require-trusted-types-for',
  'trusted-types',
])

/**
 * Collects what browsers report about violations of the content policy: counts them by directive, and logs
 * each directive once. Nothing else of a report is kept: it has addresses and samples of scripts, and anybody can send one.
 *
 * Browsers send reports without our header, so this stands before the check of where a request comes from; it changes nothing.
 */
export function policyReports({
  metrics,
  log,
}: {
  metrics: Pick<Metrics, 'count'>
  log: Pick<Log, 'warn'>
}): Hono<{ Variables: { clientAddress: string } }> {
  const logged = new Set<string>()
  const buckets = createTokenBuckets(RATE)
  return new Hono<{ Variables: { clientAddress: string } }>().post(REPORTS_PATH, async (c) => {
    const site = c.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin') throw new TransportError('PERMISSION_DENIED')
    if (!buckets.take(c.var.clientAddress))
      throw new TransportError('RATE_LIMITED', undefined, { 'retry-after': '5' })
    for (const directive of directivesOf(await readBody(c.req.raw, BYTES_MAX))) {
      const known = DIRECTIVES.has(directive) ? directive : 'other'
      metrics.count('bundle_console_policy_violations_total', { directive: known })
      if (!logged.has(known)) log.warn('a page violated its content policy', { directive: known })
      logged.add(known)
    }
    return c.body(null, 204)
  })
}

/** The violated directives of a report, in either of the two forms that browsers send; none if it is not a report. */
function directivesOf(bytes: Uint8Array): string[] {
  const json = parsed(bytes)
  const reports = Array.isArray(json) ? json.slice(0, 10) : [json]
  return reports.flatMap((report) => {
    const body = memberOf(report, 'body') ?? memberOf(report, 'csp-report')
    const directive = memberOf(body, 'effectiveDirective') ?? memberOf(body, 'effective-directive')
    return typeof directive === 'string' ? [directive] : []
  })
}

function parsed(bytes: Uint8Array): JsonValue {
  try {
    return readStrictJson(bytes)
  } catch {
    return null
  }
}

function memberOf(json: JsonValue | undefined, name: string): JsonValue | undefined {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  return isObject && Object.hasOwn(json, name) ? json[name] : undefined
}
