import { attemptTools } from './attempt-tools.ts'
import { audit } from './audit.ts'
import { batches } from './batches.ts'
import { catalog } from './catalog.ts'
import { codeTitles } from './code-titles.ts'
import { codes } from './codes.ts'
import { common } from './common.ts'
import { configuration } from './configuration.ts'
import { errors } from './errors.ts'
import { forms } from './forms.ts'
import { installations } from './installations.ts'
import { localServices } from './local-services.ts'
import { notifications } from './notifications.ts'
import { operationHistory } from './operation-history.ts'
import { operationTimeline } from './operation-timeline.ts'
import { operations } from './operations.ts'
import { overview } from './overview.ts'
import { plans } from './plans.ts'
import { platform } from './platform.ts'
import { pluginHealth } from './plugin-health.ts'
import { pluginReports } from './plugin-reports.ts'
import { plugins } from './plugins.ts'
import { recentOperations } from './recent-operations.ts'
import { recovery } from './recovery.ts'
import { references } from './references.ts'
import { refusedWrites } from './refused-writes.ts'
import { scopes } from './scopes.ts'
import { selection } from './selection.ts'
import { services } from './services.ts'
import { shell } from './shell.ts'
import { versions } from './versions.ts'
import { views } from './views.ts'
import { vocabulary } from './vocabulary.ts'
import type { Texts } from '../catalogue.ts'

/** Every text in Chinese. */
export const texts: Texts = {
  attemptTools,
  audit,
  batches,
  catalog,
  codeTitles,
  codes,
  common,
  configuration,
  errors,
  forms,
  installations,
  localServices,
  notifications,
  operationHistory,
  operationTimeline,
  operations,
  overview,
  plans,
  platform,
  pluginHealth,
  pluginReports,
  plugins,
  recentOperations,
  recovery,
  references,
  refusedWrites,
  scopes,
  selection,
  services,
  shell,
  versions,
  views,
  vocabulary,
}
