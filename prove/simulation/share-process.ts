import { answerJob } from '../in-processes.ts'
import { liveShare } from './share.ts'

answerJob(liveShare)
