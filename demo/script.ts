import type { Behaviour, When } from '#plugin/examples/scripted/script.ts'

export interface Script {
  clear(): Promise<void>
  /** Adds a rule before the existing ones. */
  add(rule: {
    when: When
    times?: number
    delayMs?: number
    behaviour: Partial<Behaviour> & Pick<Behaviour, 'kind'>
  }): Promise<void>
}

/** Scripts the scripted plugin over its public HTTP interface. */
export function createScript(base: string): Script {
  const send = async (method: string, body?: unknown): Promise<void> => {
    const response = await fetch(`${base}/script`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    })
    if (!response.ok) throw new Error(`The scripted plugin rejected its script: ${await response.text()}`)
  }
  return {
    clear: () => send('DELETE'),
    add: (rule) => send('POST', { rules: [rule] }),
  }
}
