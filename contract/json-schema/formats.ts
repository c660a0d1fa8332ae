import { format } from '@cfworker/json-schema'
import { isSchedule } from './cron.ts'
import { isTimeZone } from './time-zone.ts'

// the interpreter looks up every format in this map
format['cron'] = isSchedule
format['time-zone'] = isTimeZone

/** Formats that are checked, each safely; any other is an annotation, as in JSON Schema 2020-12. */
export const FORMATS: ReadonlySet<string> = new Set([
  'cron',
  'date',
  'date-time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'json-pointer',
  'regex',
  'relative-json-pointer',
  'time',
  'time-zone',
  'uri',
  'uri-reference',
  'uri-template',
  'uuid',
])
