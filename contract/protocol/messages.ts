import type { MessageParameters } from './envelope.ts'

/** The names in the braces of a template. */
export type Placeholders<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholders<Rest>
  : never

/** `{name}` replaced by its value; a name without a value stays as it is. */
export function fillTemplate(template: string, values: Readonly<Record<string, string | number>>): string {
  return template.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  )
}

interface Described {
  parameters?: Readonly<Record<string, string | number>> | undefined
}

/**
 * Why this platform wrote a message; null for a message that a plugin wrote. A newer runtime may send reasons that this
 * version does not know.
 */
export function reasonOf({ parameters }: Described): string | null {
  const reason = parameters?.['reason']
  return typeof reason === 'string' ? reason : null
}

/** Whether a plugin returned the failure. Its error code is the plugin's own, even if this platform uses it too. */
export function isFromPlugin(failure: Described): boolean {
  const reason = failure.parameters?.['reason']
  return reason === undefined || reason === 'callFailedSilently'
}

/** The code that lists show and filter by: that of the last attempt, which names the cause. */
export const shownCode = ({
  errorCode,
  attemptCode,
}: {
  errorCode: string
  attemptCode?: string | undefined
}): string => attemptCode ?? errorCode

/** Changes every text of a message: the sentence, and the parameters that it was made of, without the reason, which is no text. */
export function mapMessage<Message extends { message: string; parameters?: MessageParameters | undefined }>(
  message: Message,
  change: (text: string) => string,
): Message {
  const { parameters } = message
  return {
    ...message,
    message: change(message.message),
    ...(parameters !== undefined && {
      parameters: Object.fromEntries(
        Object.entries(parameters).map(([name, value]) => [
          name,
          typeof value === 'string' && name !== 'reason' ? change(value) : value,
        ]),
      ),
    }),
  }
}
