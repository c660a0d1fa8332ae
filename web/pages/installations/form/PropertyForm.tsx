import type { Scope } from '#contract/protocol/scope.ts'
import { LocatorText } from '../../../components/LocatorText.tsx'
import { kindIcon } from '../../../components/property-labels.ts'
import { useText } from '../../../i18n/use-text.ts'
import { Icon } from '../../../ui/icons/Icon.tsx'
import { PropertyField } from './PropertyField.tsx'
import type { FormField, FormResource } from './property-form.ts'
import type { PropertyEdits } from './use-property-edits.ts'

/** The values of several resources: in each what must be given, then the rest, folded where there is much of it. */
export function PropertyForm({
  form,
  values,
  scope,
  fold,
  readOnly,
}: {
  form: readonly FormResource[]
  values: PropertyEdits
  scope: Scope
  /** Keeps what need not be given out of sight at first. */
  fold: boolean
  readOnly: boolean
}) {
  const t = useText()
  return (
    <div className="space-y-4">
      {form.map(({ locator, kind, title, fields }) => {
        const rows = (shown: readonly FormField[]) =>
          shown.map((field) => (
            <PropertyField
              key={field.id}
              field={field}
              kind={kind}
              values={values}
              scope={scope}
              readOnly={readOnly}
            />
          ))
        const first = fold ? fields.filter(({ isNeeded }) => isNeeded) : fields
        const rest = fold ? fields.filter(({ isNeeded }) => !isNeeded) : []
        const isTouched = rest.some((field) => values.edits.has(field.id) || values.problemOf(field) !== null)
        if (fields.length === 0) return null
        return (
          <section
            key={locator}
            aria-label={title}
            className="@container/form rounded-lg border border-line bg-surface"
          >
            <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 border-b border-line px-4 py-2.5">
              <Icon name={kindIcon[kind]} className="text-muted" />
              <h3 className="font-semibold">{title}</h3>
              <span className="text-xs text-faint">{t(`vocabulary.kind.${kind}`)}</span>
              <span className="text-xs max-sm:basis-full max-sm:pl-6 sm:ml-auto">
                <LocatorText locator={locator} />
              </span>
            </header>
            {first.length > 0 && <div className="divide-y divide-line px-4">{rows(first)}</div>}
            {rest.length > 0 && (
              <details
                // what somebody touched, or what is refused, is never out of sight
                open={isTouched || undefined}
                className={first.length > 0 ? 'group/rest border-t border-line' : 'group/rest'}
              >
                <summary className="flex min-h-10 items-center gap-1.5 rounded-lg px-4 text-muted -outline-offset-2 hover:text-ink">
                  <Icon name="chevronRight" size={14} className="group-open/rest:rotate-90" />
                  {first.length > 0
                    ? t('installations.form.optional', { n: rest.length })
                    : t('installations.form.values', { n: rest.length })}
                </summary>
                <div className="divide-y divide-line border-t border-line px-4">{rows(rest)}</div>
              </details>
            )}
          </section>
        )
      })}
    </div>
  )
}
