import { catalogue } from '#contract/console-api/catalogue.ts'
import { codeTexts } from '../code-texts.ts'

/** The titles and remedies of error codes: the contract's catalog, and the codes that only the browser uses. */
export const codes = codeTexts({
  ...catalogue,
  NETWORK_LOST: {
    title: 'The console can’t be reached',
    message: 'No response was received, so we don’t know whether the request arrived.',
    remedy: 'Check your connection, then try again: the same request is never carried out twice.',
  },
})
