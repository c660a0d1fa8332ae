import { serveJob } from '../worker-processes.ts'
import { runBatch } from './batch.ts'

serveJob(runBatch)
