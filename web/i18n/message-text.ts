import { fillTemplate } from '#contract/protocol/messages.ts'
import { formatMinute } from './format.ts'
import { localeState } from './locale.ts'
import { inLowerCase } from './punctuation.ts'
import type { Messages } from './messages.ts'
import type { Namespace } from './texts.ts'

/** The parameters that are codes, with where their names are; those of one message before those of all. */
const NAMES_OF: Readonly<Record<string, readonly [Namespace, string]>> = {
  operationType: ['vocabulary', 'type'],
  actual: ['vocabulary', 'operation'],
  'batchNotPaused actual': ['batches', 'state'],
  'changeState actual': ['changes', 'state'],
  'approvalRequired kind': ['changes', 'kind'],
  'causeChanged state': ['operations', 'cause.state'],
}

/** A message of the platform in the language that is shown; what a plugin wrote stays as it is. */
export function messageText({
  message,
  parameters,
}: {
  message: string
  parameters?: Readonly<Record<string, string | number>> | undefined
}): string {
  if (parameters === undefined) return message
  const { platform, codes } = localeState().texts
  const reason = String(parameters.reason)
  // the reason of a message that its code gave is the code
  const template = platform[reason] ?? codes[`${reason}.message`]
  if (typeof template !== 'string') return message
  const shown = Object.keys(parameters).map((key) => [key, shownParameter(parameters, key)])
  return fillTemplate(template, Object.fromEntries(shown))
}

/** A parameter as people read it: the name of a code in a sentence, an instant in local time, any other as it is. */
function shownParameter(parameters: Readonly<Record<string, string | number>>, key: string): string | number {
  const value = parameters[key] ?? ''
  const [namespace, prefix] = NAMES_OF[`${parameters.reason} ${key}`] ?? NAMES_OF[key] ?? []
  if (namespace !== undefined) {
    const names: Messages = localeState().texts[namespace]
    const name = names[`${prefix}.${value}`]
    if (typeof name === 'string') return inLowerCase(name)
  }
  return typeof value === 'string' && isInstant(value) ? formatMinute(Date.parse(value)) : value
}

/** An instant in a message is one that somebody chose. */
const isInstant = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)
