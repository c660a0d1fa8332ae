const SAFE_PATH =
  /^\/(?![/\\])[A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]]*(?:#[A-Za-z0-9\-._~!$&'()*+,;=:@%/?[\]]*)?$/
const MAX_LENGTH = 2000

/** The path on this origin to redirect to after sign-in; `/` for anything else and for addresses that are not pages. */
export function safeReturnTo(text: string | undefined): string {
  if (text === undefined || text.length > MAX_LENGTH || !SAFE_PATH.test(text)) return '/'
  const base = 'https://console.invalid'
  const url = URL.canParse(text, base) ? new URL(text, base) : null
  if (url === null || url.origin !== base) return '/'
  // resolved as in a browser, which may turn "/%2e%2e//host" into "//host"
  const path = url.pathname + url.search + url.hash
  return SAFE_PATH.test(path) && !/^\/(?:api|auth|idp)(?:[/?#]|$)/i.test(path) ? path : '/'
}
