import { useEffect, useEffectEvent, useRef } from 'react'
import type { ChangeRequestDetail } from '#contract/console-api/shapes.ts'
import { paths } from '../../addresses/paths.ts'
import type { Edit } from '../../forms/property/property-edit.ts'
import { useText } from '../../i18n/use-text.ts'
import { LinkButton } from '../../ui/Link.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { editAt, viewAt, type DraftStep } from './draft/draft.ts'
import { useEditor } from './editor/editor-context.ts'
import { hiddenIn, useEditedRequest } from './editor/use-proposal.ts'

/** Says that a change request is edited here, and puts its values into the draft, once, where the person has no edit. */
export function EditedRequest() {
  const t = useText()
  const { configuration, store } = useEditor()
  const request = useEditedRequest()
  const taken = useRef<string | null>(null)
  const take = useEffectEvent((edited: ChangeRequestDetail) => {
    if (taken.current === edited.changeRequestId) return
    taken.current = edited.changeRequestId
    const steps: DraftStep = Object.entries(edited.input.changes ?? {}).flatMap(([locator, properties]) =>
      Object.entries(properties).flatMap(([property, view]) => {
        if (editAt(store.current(), locator, property) !== undefined) return []
        if (view !== null && 'isSensitive' in view) return []
        const edit: Edit = view === null ? { kind: 'removed' } : { kind: 'set', value: view }
        const base = viewAt(configuration.resources[locator], property)
        return [
          {
            locator,
            property,
            next: { edit, base, version: configuration.snapshotVersion, isSensitive: false },
          },
        ]
      }),
    )
    if (steps.length > 0) store.apply(steps)
  })
  useEffect(() => {
    if (request !== null) take(request)
  }, [request])
  if (request === null) return null
  const hidden = hiddenIn(request).length
  return (
    <Notice
      icon="review"
      title={t('changes.editing.title', { title: request.title })}
      actions={
        <LinkButton to={paths.changeRequest(request.changeRequestId)} size="sm">
          {t('changes.editing.open')}
        </LinkButton>
      }
    >
      {t('changes.editing.message')} {hidden > 0 && t('changes.editing.secrets', { n: hidden })}
    </Notice>
  )
}
