/** An address as plugins and services are registered with: no user information, query or fragment. */
export function isAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !/[@?#\s]/.test(text)
}
