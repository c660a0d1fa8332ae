import { titlesIn } from '../code-texts.ts'
import { codes } from './codes.ts'

export const codeTitles = titlesIn(codes)
