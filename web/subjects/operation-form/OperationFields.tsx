import { useFormState, useWatch, type Control } from 'react-hook-form'
import type { Scope } from '#contract/protocol/scope.ts'
import { LocatorText } from '../../ui/Id.tsx'
import { kindIcon } from '../../forms/property/property-labels.ts'
import { useText } from '../../i18n/use-text.ts'
import { Icon } from '../../ui/Icon.tsx'
import { OperationField } from './OperationField.tsx'
import type { FormField, FormResource } from './property-form.ts'
import type { OperationValues } from './use-operation-form.ts'

/** The id of the fields of a resource. */
export const sectionId = (locator: string): string => `fields-${locator}`

interface SharedProps {
  control: Control<OperationValues>
  scope: Scope
}

/** The fields of several resources: in each, the required ones first, then the optional ones, folded if requested. */
export function OperationFields({
  resources,
  fold,
  ...shared
}: SharedProps & {
  resources: readonly FormResource[]
  /** Whether optional fields are initially folded. */
  fold: boolean
}) {
  const t = useText()
  return (
    <div className="space-y-4">
      {resources
        .filter(({ fields }) => fields.length > 0)
        .map((resource) => {
          const { locator, kind, title, help = '', fields } = resource
          const first = fold ? fields.filter(({ isNeeded }) => isNeeded) : fields
          const rest = fold ? fields.filter(({ isNeeded }) => !isNeeded) : []
          return (
            <section
              key={`${locator} ${title}`}
              id={sectionId(locator)}
              aria-label={title}
              className="@container/form rounded-lg border border-line bg-surface"
            >
              <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 border-b border-line px-4 py-2.5">
                <Icon name={kindIcon[kind]} className="text-muted" />
                <h3 className="font-semibold">{title}</h3>
                <span className="text-xs text-faint">{t(`vocabulary.kind.${kind}`)}</span>
                {locator !== '' && (
                  <span className="text-xs max-sm:basis-full max-sm:pl-6 sm:ml-auto">
                    <LocatorText locator={locator} />
                  </span>
                )}
                {help !== '' && (
                  <p className="max-w-[72ch] basis-full text-xs text-muted wrap-anywhere">{help}</p>
                )}
              </header>
              {first.length > 0 && (
                <div className={FIELDS}>
                  <Rows {...shared} resource={resource} fields={first} />
                </div>
              )}
              {rest.length > 0 && (
                <Folded
                  {...shared}
                  resource={resource}
                  fields={rest}
                  title={t(first.length > 0 ? 'installations.form.optional' : 'installations.form.values', {
                    n: rest.length,
                  })}
                  isFirst={first.length === 0}
                />
              )}
            </section>
          )
        })}
    </div>
  )
}

/** The first and the last row keep the distance from the edges that rows have from each other. */
const FIELDS = 'px-4 @min-[42rem]/form:py-2'

type RowsProps = SharedProps & { resource: FormResource; fields: readonly FormField[] }

function Rows({ control, scope, resource, fields }: RowsProps) {
  return fields.map((field) => (
    <OperationField
      key={field.id}
      control={control}
      field={field}
      resourceKind={resource.kind}
      scope={scope}
    />
  ))
}

/** Initially folded fields. A field that was edited or has an error is never folded. */
function Folded({ title, isFirst, ...rows }: RowsProps & { title: string; isFirst: boolean }) {
  const { control, fields } = rows
  const hasEdit = useWatch({ control, compute: ({ edits }) => fields.some(({ id }) => edits[id]) })
  const errors = useFormState({ control }).errors.edits
  const mustShow = hasEdit || fields.some(({ id }) => errors?.[id])
  return (
    <details
      open={mustShow || undefined}
      className={isFirst ? 'group/rest' : 'group/rest border-t border-line'}
    >
      <summary className="flex min-h-10 items-center gap-1.5 rounded-lg px-4 text-muted -outline-offset-2 hover:text-ink">
        <Icon name="chevronRight" size={14} className="group-open/rest:rotate-90" />
        {title}
      </summary>
      <div className={`border-t border-line ${FIELDS}`}>
        <Rows {...rows} />
      </div>
    </details>
  )
}
