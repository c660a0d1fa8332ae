/** The reason to send; omitted when empty. */
export function reasonIn({ reason }: { reason: string }): { reason?: string } {
  const text = reason.trim()
  return text === '' ? {} : { reason: text }
}
