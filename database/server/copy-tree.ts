import { cpSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// Runs in a worker thread: copies the folder `from` to `to`, with everything in it.
const { from, to } = workerData as { from: string; to: string }
cpSync(from, to, { recursive: true })
