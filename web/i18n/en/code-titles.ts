import { catalogue } from '#contract/console-api/catalogue.ts'
import { codeTexts, titlesIn } from '../code-texts.ts'
import { codes } from './codes.ts'

/** The titles of all error codes, for a code without a response. */
export const codeTitles = { ...titlesIn(codeTexts(catalogue)), ...titlesIn(codes) }
