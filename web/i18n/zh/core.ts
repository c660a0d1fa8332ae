import { common } from './common.ts'
import { errors } from './errors.ts'
import { shell } from './shell.ts'
import { vocabulary } from './vocabulary.ts'

export const core = { common, errors, shell, vocabulary }
