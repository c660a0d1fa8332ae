import { serveJob } from '../worker-processes.ts'
import { runBatch } from './suite.ts'

serveJob(runBatch)
