import { catalogue } from '#contract/console-api/catalogue.ts'
import { codeTexts } from '../code-texts.ts'

/** What codes are called and what to do about them: the contract's own catalogue, and what only the browser can know. */
export const codes = codeTexts({
  ...catalogue,
  NETWORK_LOST: {
    title: 'The console can’t be reached',
    message: 'No response was received, so we don’t know whether the request arrived.',
    remedy: 'Check your connection, then try again: the same request is never carried out twice.',
  },
})
