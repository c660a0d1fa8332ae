import type { Formats } from '../messages.ts'
import * as causes from './causes.ts'
import * as changes from './changes.ts'
import * as codes from './codes.ts'
import * as configuration from './configuration.ts'
import * as installations from './installations.ts'
import * as operations from './operations.ts'
import * as shell from './shell.ts'

/** Every text in English, by namespace. It defines the keys of all languages. */
export const texts = {
  ...causes,
  ...changes,
  ...codes,
  ...configuration,
  ...installations,
  ...operations,
  ...shell,
}

/** Of British English, as `Intl` has them. */
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec']

export const formats: Formats = {
  tag: 'en-GB',
  groupSeparator: ',',
  decimalSeparator: '.',
  smallestGrouped: 4,
  day: (day, month) => `${String(day).padStart(2, '0')} ${MONTHS[month - 1]}`,
  dayOfYear: (day, year) => `${day} ${year}`,
  moment: (date, time) => `${date}, ${time}`,
}
