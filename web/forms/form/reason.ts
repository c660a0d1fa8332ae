/** The reason as it is sent; left out when it is empty. */
export function reasonIn({ reason }: { reason: string }): { reason?: string } {
  const text = reason.trim()
  return text === '' ? {} : { reason: text }
}
