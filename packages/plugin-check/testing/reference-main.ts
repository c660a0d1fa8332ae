import { DEFECTS, type DefectName } from './defects.ts'
import { startReferencePlugin } from './reference-plugin.ts'

// The reference plugin as a process: PORT, PLATFORM, FILE and, for a broken one, DEFECT; ANSWER_MS for a slow one.

const { PORT = '0', PLATFORM = '', FILE = '', DEFECT = '', ANSWER_MS = '0' } = process.env
const defect = Object.keys(DEFECTS).find((name): name is DefectName => name === DEFECT) ?? null
await startReferencePlugin({
  platform: PLATFORM,
  file: FILE,
  defect,
  port: Number(PORT),
  answerMs: Number(ANSWER_MS),
})
