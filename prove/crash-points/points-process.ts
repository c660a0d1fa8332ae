import { answerJob } from '../in-processes.ts'
import { tryPoints } from './points.ts'

answerJob(tryPoints)
