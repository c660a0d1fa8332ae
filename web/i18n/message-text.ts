import { fillTemplate } from '#contract/protocol/messages.ts'
import { formatMinute } from './format.ts'
import { localeState } from './locale.ts'
import type { Messages } from './messages.ts'

/** The parameters that are codes of the vocabulary, with the prefix of their names in it. */
const PREFIX_OF: Readonly<Record<string, string>> = { operationType: 'type', actual: 'operation' }

/** A message of the platform in the language that is shown; what a plugin wrote stays as it is. */
export function messageText({
  message,
  parameters,
}: {
  message: string
  parameters?: Readonly<Record<string, string | number>> | undefined
}): string {
  if (parameters === undefined) return message
  const template = localeState().texts.platform[String(parameters.reason)]
  if (typeof template === 'string') return fillTemplate(template, withNames(parameters))
  // the message is in English, with its times in UTC
  return Object.values(parameters).reduce<string>(
    (text, value) =>
      typeof value === 'string' && isInstant(value) ? text.replaceAll(value, withLocalTime(value)) : text,
    message,
  )
}

function withNames(parameters: Readonly<Record<string, string | number>>): Record<string, string | number> {
  const names: Messages = localeState().texts.vocabulary
  return Object.fromEntries(
    Object.entries(parameters).map(([key, value]) => {
      const name = names[`${PREFIX_OF[key]}.${value}`]
      return [key, typeof name === 'string' ? name : typeof value === 'string' ? withLocalTime(value) : value]
    }),
  )
}

const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

/** An instant, which in a message is one that somebody chose, as the person's local time; any other text as it is. */
const withLocalTime = (text: string): string => (isInstant(text) ? formatMinute(Date.parse(text)) : text)
