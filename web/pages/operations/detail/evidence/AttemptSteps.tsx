import type { OperationSearch } from '#contract/console-api/pages/operations.ts'
import { Link } from '@tanstack/react-router'
import type { OperationDetail, PluginCall } from '#contract/console-api/shapes.ts'
import { useText } from '../../../../i18n/use-text.ts'
import { paths } from '../../../../addresses/paths.ts'
import { buttonStyle } from '../../../../ui/button-style.ts'
import { Icon, type IconName } from '../../../../ui/Icon.tsx'
import { attemptCount, choiceOf, type Bar } from '../calls/timeline.ts'

/** Links to the previous and next attempt. On touch screens, the bars of the timeline are too small to hit. */
export function AttemptSteps({
  operation,
  call,
  bar,
  view,
}: {
  operation: OperationDetail
  call: PluginCall
  bar: Bar
  view: OperationSearch['view']
}) {
  const t = useText()
  const { attempt } = bar.attempt
  const count = attemptCount(call)
  if (count < 2) return null
  // attempts are numbered from 1 without gaps; one that is not loaded yet is loaded when it is selected
  const to = (number: number) =>
    number < 1 || number > count ? undefined : { ...choiceOf(bar), attempt: number, ...(view && { view }) }
  return (
    <div className="flex items-center gap-2">
      <span className="text-xs text-muted tabular-nums">
        {t('operations.attempt.of', { attempt, n: count })}
      </span>
      <Step
        operation={operation}
        to={to(attempt - 1)}
        icon="chevronLeft"
        label={t('operations.attempt.previous')}
      />
      <Step
        operation={operation}
        to={to(attempt + 1)}
        icon="chevronRight"
        label={t('operations.attempt.next')}
      />
    </div>
  )
}

function Step({
  operation,
  to,
  icon,
  label,
}: {
  operation: OperationDetail
  to: OperationSearch | undefined
  icon: IconName
  label: string
}) {
  const className = buttonStyle({ size: 'sm', iconOnly: true, disabled: !to })
  if (!to) {
    return (
      <span role="link" aria-disabled="true" aria-label={label} className={className}>
        <Icon name={icon} size={14} />
      </span>
    )
  }
  return (
    <Link
      {...paths.operation(operation.operationId, to)}
      replace
      resetScroll={false}
      preload={false}
      aria-label={label}
      title={label}
      className={className}
    >
      <Icon name={icon} size={14} />
    </Link>
  )
}
