import { connectionCodes } from '#contract/console-api/connection-codes.ts'
import { codeTexts } from '../code-texts.ts'

/** The codes that only the browser uses. English needs no others: every error response has its texts in English. */
export const codes = codeTexts({
  ...connectionCodes,
  NETWORK_LOST: {
    title: 'The console can’t be reached',
    message: 'No response was received, so we don’t know whether the request arrived.',
    remedy: 'Check your connection, then try again: the same request is never carried out twice.',
  },
})
