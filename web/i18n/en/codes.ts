import { catalogue } from '#contract/console-api/catalogue.ts'
import { codeTexts } from '../code-texts.ts'

/** What codes are called and what to do about them: the contract's own catalogue, and what only the browser can know. */
export const codes = codeTexts({
  ...catalogue,
  NETWORK_LOST: {
    title: 'The console cannot be reached',
    message: 'There was no answer. Whether the request arrived is not known.',
    remedy: 'Check the connection, then try again: the same request is never carried out twice.',
  },
})
