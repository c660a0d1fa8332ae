import type { Follow } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import type { Translate } from '../../i18n/use-text.ts'
import { scopeText } from '../../subjects/scopes/scope-text.ts'
import { shortenId } from '../../ui/Id.tsx'
import { causeName } from '../../subjects/causes/cause-texts.ts'
import type { LinkTarget } from '../../ui/Link.tsx'

/** What is followed, and its page. */
export function followName(
  { subject, title, operationType, cause }: Follow,
  t: Translate,
): { text: string; to: LinkTarget } {
  switch (subject.kind) {
    case 'operation':
      return {
        text:
          operationType === null
            ? shortenId(subject.operationId)
            : t('operations.name', { type: t(`vocabulary.type.${operationType}`), bundle: title ?? '' }),
        to: paths.operation(subject.operationId),
      }
    case 'installation':
      return { text: title ?? '', to: paths.installation(subject.bundleInstallId) }
    case 'scope':
      return { text: scopeText(subject.scope), to: paths.configuration(subject.scope) }
    case 'cause':
      return { text: cause === null ? '' : causeName(cause, t), to: paths.cause(subject.causeId) }
  }
}
