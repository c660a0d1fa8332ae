import { causeTitles } from '#contract/protocol/call-causes.ts'
import * as codes from './codes.ts'
import * as configuration from './configuration.ts'
import * as forms from './forms.ts'
import * as installations from './installations.ts'
import * as operationParts from './operation-parts.ts'
import * as operations from './operations.ts'
import * as platform from './platform.ts'
import * as registry from './registry.ts'
import * as shell from './shell.ts'
import type { Texts } from '../catalogue.ts'

/** Every text in Chinese. */
export const texts: Texts = {
  causes: causeTitles('zh'),
  ...codes,
  ...configuration,
  ...forms,
  ...installations,
  ...operationParts,
  ...operations,
  ...platform,
  ...registry,
  ...shell,
}
