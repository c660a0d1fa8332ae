import { useQuery } from '@tanstack/react-query'
import type { PropertyView, Claim } from '#contract/console-api/shapes.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Button } from '../../../ui/Button.tsx'
import { focusHome } from '../../../ui/keep-focus.ts'
import { PropertyValueView } from '../../../ui/value/ValueView.tsx'
import { useEditor, controlId, labelId, rowId } from '../editor/editor-context.ts'
import { useDraftField } from './use-draft-field.ts'
import { callApi } from '../../../api/client.ts'

/** A value that no longer has a definition: it can only be removed. */
export function LeftoverField({
  locator,
  property,
  view,
  isLocked,
}: {
  locator: string
  property: string
  view: PropertyView | null
  isLocked: boolean
}) {
  const t = useText()
  const { mayWrite, isSaving } = useEditor()
  const {
    draftEdit: edit,
    onEdit,
    onReset,
  } = useDraftField({ locator, property, definition: undefined, view })
  const isOpen = mayWrite && !isSaving && (!isLocked || edit !== undefined)
  return (
    <div
      id={rowId(property)}
      role="group"
      aria-labelledby={labelId(property)}
      {...focusHome(controlId(property))}
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t border-line py-3 first:border-t-0"
    >
      <span id={labelId(property)} className="mono min-w-40 font-medium wrap-anywhere">
        {property}
      </span>
      <span className={edit === undefined ? 'min-w-0 flex-1' : 'min-w-0 flex-1 line-through'}>
        <PropertyValueView value={view} />
      </span>
      {isOpen && (
        <Button
          id={controlId(property)}
          of={labelId(property)}
          size="sm"
          onClick={() => (edit === undefined ? onEdit({ kind: 'removed' }) : onReset())}
        >
          {edit === undefined ? t('forms.remove') : t('configuration.field.reset')}
        </Button>
      )}
    </div>
  )
}

const NOTHING: ReadonlySet<string> = new Set()

/**
 * The properties of a resource that are saved and not applied yet. Nothing else can be saved while an operation holds
 * the installation, so they are the changes of that operation.
 */
export function useUnapplied(claim: Claim | null, locator: string): ReadonlySet<string> {
  const operationId = claim?.operationType === 'CONFIGURE' ? claim.operationId : null
  const { data } = useQuery({
    // not the query of the operation's page: the changes of an operation are fixed, while its attempts are not
    queryKey: ['changes of an operation', operationId] as const,
    queryFn: async ({ signal }) => {
      const params = { operationId: operationId ?? '' }
      return (await callApi('GET /operations/{operationId}', { params }, { signal })).changes
    },
    enabled: operationId !== null,
    staleTime: Infinity,
  })
  if (operationId === null || data === undefined) return NOTHING
  return new Set(data.filter((change) => change.locator === locator).map(({ property }) => property))
}
