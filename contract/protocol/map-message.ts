import type { MessageParameters } from './envelope.ts'

/** Changes every text of a message: the sentence, and the parameters that it was made of. */
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
          typeof value === 'string' ? change(value) : value,
        ]),
      ),
    }),
  }
}
