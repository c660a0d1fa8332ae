import { DEFECTS, type DefectName } from './defects.ts'
import { startReferencePlugin } from './reference-plugin.ts'
import { STYLES, type StyleName } from './styles.ts'

// The reference plugin as a process: PORT, PLATFORM and FILE; DEFECT for a broken one, STYLE for another correct one,
// ANSWER_MS for a slow one.

const { PORT = '0', PLATFORM = '', FILE = '', DEFECT = '', STYLE = '', ANSWER_MS = '0' } = process.env
const defect = Object.keys(DEFECTS).find((name): name is DefectName => name === DEFECT) ?? null
const style = Object.keys(STYLES).find((name): name is StyleName => name === STYLE) ?? null
await startReferencePlugin({
  platform: PLATFORM,
  file: FILE,
  defect,
  style,
  port: Number(PORT),
  answerMs: Number(ANSWER_MS),
})
