import { connectionCodes } from '#contract/console-api/connection-codes.ts'
import { catalogue } from '#contract/console-api/catalogue.ts'
import { codeTexts, titlesIn } from '../code-texts.ts'

/** The codes that only the browser uses. English needs no others: every error response has its texts in English. */
export const codes = codeTexts({
  ...connectionCodes,
  NETWORK_LOST: {
    title: 'The console can’t be reached',
    message: 'No response was received, so we don’t know whether the request arrived.',
    remedy: 'Check your connection, then try again: the same request is never carried out twice.',
  },
})

/** The titles of all error codes, for a code without a response. */
export const codeTitles = { ...titlesIn(codeTexts(catalogue)), ...titlesIn(codes) }

/** The labels of an error view, and the fallback texts. */
export const errors = {
  code: 'Error code',
  requestId: 'Request ID',
  trail: 'Error path',
  'trail.label': 'Services the error passed through, outermost first',
  remedy: 'What to do',
  notRetryable: 'Fix the cause before you send the request again.',
  'address.title': 'Not found',
  'address.message': 'The ID in the address is not valid.',
  'address.remedy': 'Check the link, or open the page from its list.',
  'unknown.title': 'Something went wrong',
  'unknown.message': 'The response could not be read.',
  'unknown.remedy': 'Try again. If this continues, contact your administrator.',
} as const
