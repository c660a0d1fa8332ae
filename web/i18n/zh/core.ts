import { codes } from './codes.ts'
import { common } from './common.ts'
import { errors } from './errors.ts'
import { platform } from './platform.ts'
import { shell } from './shell.ts'
import { vocabulary } from './vocabulary.ts'

export const core = { codes, common, errors, platform, shell, vocabulary }
