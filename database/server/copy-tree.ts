import { cpSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// The code of a thread: copies the folder `from` with everything in it to `to`.
const { from, to } = workerData as { from: string; to: string }
cpSync(from, to, { recursive: true })
