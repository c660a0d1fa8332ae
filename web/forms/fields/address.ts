/** Whether a text is a valid address of a plugin or service: no user information, query or fragment. */
export function isAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !/[@?#\s]/.test(text)
}
