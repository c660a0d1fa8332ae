import * as causes from './causes.ts'
import * as changes from './changes.ts'
import * as codes from './codes.ts'
import * as configuration from './configuration.ts'
import * as installations from './installations.ts'
import * as operations from './operations.ts'
import * as shell from './shell.ts'
import type { Texts } from '../texts.ts'
import type { Formats } from '../messages.ts'

/** Every text in Chinese. */
export const texts: Texts = {
  ...causes,
  ...changes,
  ...codes,
  ...configuration,
  ...installations,
  ...operations,
  ...shell,
}

export const formats: Formats = {
  tag: 'zh-CN',
  groupSeparator: ',',
  decimalSeparator: '.',
  smallestGrouped: 4,
  day: (day, month) => `${month}月${String(day).padStart(2, '0')}日`,
  dayOfYear: (day, year) => `${year}年${day}`,
  moment: (date, time) => `${date} ${time}`,
}
