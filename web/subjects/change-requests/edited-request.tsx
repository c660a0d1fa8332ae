import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { changeRequestCall } from '#contract/console-api/pages/change-requests.ts'
import { deepEqual, type JsonValue } from '#contract/json-schema/json.ts'
import type { ChangeRequestDetail, Configuration, PropertyView } from '#contract/console-api/shapes.ts'
import { ApiError, type Call } from '../../api/client.ts'
import { apiQuery } from '../../api/query.ts'
import { useWrite } from '../../api/write.ts'
import { paths } from '../../addresses/paths.ts'
import { editsIn, FormEdit, type PropertyFormValues } from '../../forms/property/property-edit.ts'
import { fieldId, type FieldId, type PropertyPlace } from '../../forms/property/property-place.ts'
import { editTo, isHidden } from '../../forms/property/property-value.ts'
import type { FormResource } from '../operation-form/property-form.ts'
import type { OperationInput, OperationValues } from '../operation-form/use-operation-form.ts'
import { useErrorView } from '../../i18n/describe-code.ts'
import { joinSentences } from '../../i18n/punctuation.ts'
import { useText } from '../../i18n/use-text.ts'
import { ErrorState } from '../../ui/ErrorState.tsx'
import { LinkButton } from '../../ui/Link.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { showToast } from '../../ui/toast.ts'
import { useShell } from '../shell/shell-context.ts'
import { authorsOf, isEndedBefore } from './change-looks.ts'
import type { OperationProposal } from './use-request-review.ts'

type Given = Record<string, Record<string, PropertyView | null>>
type Kind = ChangeRequestDetail['kind']
type EditOf<Of extends Kind> = Extract<Call<'PATCH /change-requests/{changeRequestId}'>['body'], { kind: Of }>
type KeptChanges = NonNullable<EditOf<'CONFIGURE'>['input']>['changes']

interface EditedRequest {
  request: ChangeRequestDetail | null
  /** It has not been read yet, so that nothing that is entered now could be part of it. */
  isPending: boolean
  /** The one that the address names, if it cannot be edited here. */
  lost: string | null
  /** The same, if it has ended without being applied: what it asked for is the beginning of another change. */
  ended: ChangeRequestDetail | null
  /** Why it has not been read, unless it does not exist. */
  unread: { error: Error; isFetching: boolean; refetch: () => void } | null
}

/**
 * The change request that an address names, if it is of this kind and the person may edit it.
 *
 * @param place of the page: an address may name the request of another one, which its form must not fill or replace.
 */
export function useEditedRequest(
  kind: Kind,
  changeRequestId: string | undefined,
  place: Partial<Pick<ChangeRequestDetail, 'scope' | 'bundleInstallId'>> = {},
): EditedRequest & { isFetching: boolean } {
  const { data, error, isFetching, refetch } = useQuery({
    ...apiQuery('GET /change-requests/{changeRequestId}', changeRequestCall(changeRequestId ?? '')),
    enabled: changeRequestId !== undefined,
  })
  const isNamed = changeRequestId !== undefined
  const isHere =
    isNamed &&
    data?.kind === kind &&
    isOf(data.scope, place.scope) &&
    isOf(data.bundleInstallId, place.bundleInstallId)
  const isIt = isHere && data.may.edit
  const isGone = error instanceof ApiError && error.isDecided
  const isPending = isNamed && data === undefined && !isGone
  return {
    request: isIt ? data : null,
    isPending,
    isFetching,
    lost: isNamed && !isIt && !isPending ? changeRequestId : null,
    ended: isHere && isEndedBefore(data) ? data : null,
    unread: isPending && error !== null ? { error, isFetching, refetch: () => void refetch() } : null,
  }
}

/** Whether what a request names, if it does, is that of the page. */
const isOf = (named: JsonValue, ofPage: JsonValue | undefined): boolean =>
  named === null || ofPage === undefined || deepEqual(named, ofPage)

const givenIn = ({ input }: ChangeRequestDetail): Given => input.changes ?? input.properties ?? {}

/** The properties whose values the request hides: they are kept unless another value is given. */
const hiddenIn = (request: ChangeRequestDetail): PropertyPlace[] =>
  Object.entries(givenIn(request)).flatMap(([locator, properties]) =>
    Object.entries(properties).flatMap(([property, view]) =>
      isHidden(view) && view !== null ? [{ locator, property }] : [],
    ),
  )

/** The fields of a form to which the request gives a value. */
export const fieldsOf = (request: ChangeRequestDetail): FieldId[] =>
  Object.entries(givenIn(request)).flatMap(([locator, properties]) =>
    Object.keys(properties).map((property) => fieldId(locator, property)),
  )

/** A form in which nobody has to enter what the request keeps. */
export function withKept(form: FormResource[], request: ChangeRequestDetail | null): FormResource[] {
  if (request === null) return form
  const kept = new Set(hiddenIn(request).map(({ locator, property }) => fieldId(locator, property)))
  if (kept.size === 0) return form
  return form.map((resource) => ({
    ...resource,
    fields: resource.fields.map((field) => (kept.has(field.id) ? { ...field, isNeeded: false } : field)),
  }))
}

/**
 * The change request that an address names, as the page read it first: an edit of somebody else meanwhile is not replaced, and it stays
 * the edited one if it can no longer be edited, so that its values never become the person's own. They are put into the input of the form
 * once, before the form is shown.
 */
export function useEditedInput(
  kind: 'INSTALL' | 'UPGRADE',
  changeRequestId: string | undefined,
  input: OperationInput,
  place: Parameters<typeof useEditedRequest>[2] = {},
): EditedRequest {
  const { request, isPending, isFetching, lost, ended, unread } = useEditedRequest(
    kind,
    changeRequestId,
    place,
  )
  const [taken, setTaken] = useState<ChangeRequestDetail | null>(null)
  const isEdited = taken !== null && !isEndedBefore(taken)
  const filling = request ?? ended
  // what an earlier visit has left in memory may be older than what others have stored since
  if (filling !== null && taken === null && !isFetching) {
    setTaken(filling)
    fill(input, filling)
  }
  return {
    request: isEdited ? taken : null,
    isPending: taken === null && (isPending || filling !== null),
    lost: isEdited ? null : lost,
    ended: isEdited ? null : ended,
    unread,
  }
}

function fill(input: OperationInput, request: ChangeRequestDetail): void {
  input.values = valuesOf(request)
  delete input.ticked
}

const valuesOf = (request: ChangeRequestDetail): OperationValues => ({
  edits: editsOf(request),
  reason: request.reason ?? '',
})

/** Whether a form has other values than the request that is edited in it. */
export function isEditOf(request: ChangeRequestDetail, values: OperationValues): boolean {
  const ofRequest = valuesOf(request)
  const [before, now] = [editsIn(ofRequest), editsIn(values)]
  return (
    values.reason !== ofRequest.reason ||
    before.size !== now.size ||
    [...now].some(([id, edit]) => !deepEqual(edit, before.get(id) ?? null))
  )
}

/** Whether an address is that of the form in which this request is edited, or none. */
export const isOfRequest = (search: object, request: ChangeRequestDetail | null | undefined): boolean =>
  Reflect.get(search, 'change') === request?.changeRequestId

/** The values of the request as the edits of a form, except hidden ones. */
function editsOf(request: ChangeRequestDetail): PropertyFormValues['edits'] {
  const edits: Record<FieldId, FormEdit> = {}
  for (const [locator, properties] of Object.entries(givenIn(request)))
    for (const [property, view] of Object.entries(properties))
      if (!isHidden(view)) edits[fieldId(locator, property)] = new FormEdit(editTo(view))
  return edits
}

/**
 * The properties whose values the request hides and of which somebody has to say whether they stay: others have saved another value
 * since, or the scope no longer has the resource, so that no form shows it.
 */
export const hiddenToDecide = (
  request: ChangeRequestDetail,
  { resources }: Pick<Configuration, 'resources'>,
): PropertyPlace[] =>
  hiddenIn(request).filter(
    (place) =>
      !Object.hasOwn(resources, place.locator) || request.conflicts.some((one) => isSamePlace(one, place)),
  )

/** Changes with what keeps the hidden values of the request, except some, where no other value is given. */
export function withHidden(
  changes: KeptChanges,
  request: ChangeRequestDetail,
  except: readonly PropertyPlace[] = [],
): KeptChanges {
  const merged = { ...changes }
  for (const { locator, property } of hiddenIn(request))
    if (!except.some((one) => isSamePlace(one, { locator, property })))
      merged[locator] = { [property]: { '@type': 'Data', isSensitive: true }, ...merged[locator] }
  return merged
}

const isSamePlace = (one: PropertyPlace, other: PropertyPlace): boolean =>
  one.locator === other.locator && one.property === other.property

/** A proposal to store in a request: the hidden values of the request are kept where no other value is given. */
export function withKeptValues<Of extends OperationProposal>(proposal: Of, request: ChangeRequestDetail): Of {
  const properties = withHidden(proposal.input.properties ?? {}, request)
  const given = Object.keys(properties).length > 0 && { properties }
  return { ...proposal, input: { ...proposal.input, ...given } }
}

/** Whether the request keeps hidden values, without which a plan of the form would not be its plan. */
export const keepsHidden = (request: ChangeRequestDetail | null): boolean =>
  request !== null && hiddenIn(request).length > 0

/** Stores an edit in a change request, at the revision that was read, and opens it. */
export function useSaveRequest() {
  const t = useText()
  const navigate = useNavigate()
  const edit = useWrite('PATCH /change-requests/{changeRequestId}', {
    invalidates: [
      'GET /change-requests',
      'GET /change-requests/{changeRequestId}',
      'GET /change-requests/{changeRequestId}/plan',
    ],
  })
  return {
    isPending: edit.isPending,
    /** Rejects with an ApiError. `beforeLeaving` runs once it is stored. */
    save: async (
      { changeRequestId, revision }: Pick<ChangeRequestDetail, 'changeRequestId' | 'revision'>,
      body: EditBody,
      beforeLeaving?: () => void,
    ): Promise<void> => {
      await edit.mutateAsync({ params: { changeRequestId }, body: { ...body, revision } })
      beforeLeaving?.()
      showToast({ text: t('changes.saved') })
      await navigate({ ...paths.changeRequest(changeRequestId), ignoreBlocker: true })
    },
  }
}
type EditBody = { [Of in Kind]: Omit<EditOf<Of>, 'revision'> }[Kind]

/** Says that the address names a change request, and that this page does not edit it, or why it does not do so yet. */
export function LostRequestNotice({ lost, ended, unread }: Omit<EditedRequest, 'request' | 'isPending'>) {
  const t = useText()
  const error = useErrorView(unread?.error ?? null)
  if (unread !== null && error !== null)
    return <ErrorState error={error} onRetry={unread.refetch} retrying={unread.isFetching} />
  return lost === null ? null : (
    <Notice
      tone={ended === null ? 'warn' : 'info'}
      icon={ended === null ? 'warning' : 'review'}
      live
      title={ended === null ? t('changes.editing.lost') : t('changes.again.title', { title: ended.title })}
      actions={
        <LinkButton to={paths.changeRequest(lost)} size="sm">
          {t('changes.editing.open')}
        </LinkButton>
      }
    >
      {ended === null
        ? t('changes.editing.lost.message')
        : joinSentences(t, [
            t('changes.again.message'),
            hiddenIn(ended).length > 0 && t('changes.again.secrets', { n: hiddenIn(ended).length }),
          ])}
    </Notice>
  )
}

/** Says that a change request is edited on this page. */
export function EditedNotice({
  request,
  asked = 0,
}: {
  request: ChangeRequestDetail
  /** Of how many hidden values the page asks whether they stay. */
  asked?: number
}) {
  const t = useText()
  const kept = hiddenIn(request).length - asked
  const becomesAuthor = useBecomesAuthor(request)
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
      {t(request.kind === 'CONFIGURE' ? 'changes.editing.message' : 'changes.editing.form')}{' '}
      {joinSentences(t, [
        kept > 0 && t('changes.editing.secrets', { n: kept }),
        becomesAuthor && t('changes.editing.author'),
      ])}
    </Notice>
  )
}

/** Whether somebody who may approve the request as it is becomes one of its authors with an edit. */
function useBecomesAuthor(request: ChangeRequestDetail): boolean {
  const { state, scope, may } = request
  const { user, can } = useShell()
  // nobody can reject a draft
  if (state !== 'DRAFT' || scope === null) return may.reject === true
  return can('change:approve', scope) && authorsOf(request).every(({ id }) => id !== user?.id)
}
