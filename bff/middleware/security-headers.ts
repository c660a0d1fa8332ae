import type { MiddlewareHandler } from 'hono'

/** Where browsers report violations of the policy of a document. */
export const REPORTS_PATH = '/reports/policy'

const DOCUMENT_CSP = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
  'report-to policy',
  // for browsers that do not know report-to
  `report-uri ${REPORTS_PATH}`,
].join('; ')

/** For a page with text and one form: no scripts. */
const PLAIN_PAGE_CSP =
  "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

/** For answers that a browser must never render. */
const DATA_CSP = "default-src 'none'; frame-ancestors 'none'; sandbox"

const POLICIES = { document: DOCUMENT_CSP, page: PLAIN_PAGE_CSP, data: DATA_CSP }

const DISABLED_FEATURES = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]

/** `document` is the console, `page` a server-made page without scripts, `data` everything else. */
export type AnswerKind = keyof typeof POLICIES

/** The headers of every response of one kind, errors included. */
export function securityHeadersFor(kind: AnswerKind, isHttps: boolean): Record<string, string> {
  return {
    'content-security-policy': POLICIES[kind],
    'x-content-type-options': 'nosniff',
    // With no-referrer a browser sends "Origin: null" with a form, which looks like a foreign origin.
    'referrer-policy': kind === 'page' ? 'same-origin' : 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'permissions-policy': DISABLED_FEATURES.map((feature) => `${feature}=()`).join(', '),
    ...(kind === 'document' && { 'reporting-endpoints': `policy="${REPORTS_PATH}"` }),
    ...(isHttps && { 'strict-transport-security': 'max-age=31536000; includeSubDomains' }),
  }
}

/**
 * Sets them on every response, except headers that a route has set itself. Data and errors are never cached.
 *
 * @param inlineScripts sources of `script-src` for the inline scripts of the console's page, such as `'sha256-…'`.
 */
export function securityHeaders({
  publicOrigin,
  inlineScripts = [],
}: {
  publicOrigin: string
  inlineScripts?: readonly string[]
}): MiddlewareHandler {
  const isHttps = publicOrigin.startsWith('https:')
  const document = securityHeadersFor('document', isHttps)
  document['content-security-policy'] = DOCUMENT_CSP.replace(
    "script-src 'self'",
    ["script-src 'self'", ...inlineScripts].join(' '),
  )
  const headers = {
    document: Object.entries(document),
    data: Object.entries(securityHeadersFor('data', isHttps)),
  }
  return async (c, next) => {
    await next()
    const isData = /^\/api(?:\/|$)/.test(c.req.path)
    // c.header would create a new response for each header
    const { headers: answered, status } = c.res
    for (const [name, value] of headers[isData ? 'data' : 'document']) {
      if (!answered.has(name)) answered.set(name, value)
    }
    const isPrivate = isData || /^\/(?:auth|idp)(?:\/|$)/.test(c.req.path) || status >= 400
    if (isPrivate && !answered.has('cache-control')) answered.set('cache-control', 'no-store')
  }
}
