import type { PlainTextKey } from '../i18n/use-text.ts'
import { paths } from '../addresses/paths.ts'

/** The pages that `g` and a letter open. */
export const CHORDS = {
  o: { label: 'shell.nav.overview', to: paths.overview() },
  i: { label: 'shell.nav.installations', to: paths.installations() },
  v: { label: 'shell.nav.versions', to: paths.versions() },
  p: { label: 'shell.nav.operations', to: paths.operations() },
  c: { label: 'shell.nav.scopes', to: paths.scopes() },
  b: { label: 'shell.nav.catalog', to: paths.catalog() },
  t: { label: 'shell.nav.batches', to: paths.batches() },
  l: { label: 'shell.nav.plugins', to: paths.plugins() },
  s: { label: 'shell.nav.services', to: paths.services() },
  a: { label: 'shell.nav.audit', to: paths.audit() },
} as const satisfies Record<string, { label: PlainTextKey; to: unknown }>
