import { fillTemplate } from '#contract/protocol/message-template.ts'
import { localeState } from './locale.ts'

/** A message of the platform in the language that is shown; what a plugin wrote stays as it is. */
export function messageText({
  message,
  parameters,
}: {
  message: string
  parameters?: Readonly<Record<string, string | number>> | undefined
}): string {
  if (parameters === undefined) return message
  const template = localeState().texts.platform?.[String(parameters.reason)]
  return typeof template === 'string' ? fillTemplate(template, parameters) : message
}
