import { useText } from '../../../i18n/use-text.ts'
import { Field } from '../../../ui/Field.tsx'
import { NumberInput } from '../../../ui/TextInput.tsx'
import { invalidLimits, LIMIT_MAX, type Limits } from '../batch-limits.ts'

/** How carefully a batch proceeds. */
export function BatchLimits({
  value,
  onChange,
  count,
}: {
  value: Limits
  onChange: (limits: Limits) => void
  count: number
}) {
  const t = useText()
  if (count < 2) return null
  const invalid = invalidLimits(value)
  const input = (name: keyof typeof LIMIT_MAX, label: string, help?: string) => (
    <Field
      label={label}
      className="w-56"
      {...(help !== undefined && { help })}
      error={invalid.has(name) && t('batches.make.limit.invalid', { max: LIMIT_MAX[name] })}
    >
      {(wiring) => (
        <NumberInput
          {...wiring}
          value={value[name]}
          onChange={(event) => onChange({ ...value, [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <fieldset className="flex flex-wrap gap-4">
      <legend className="sr-only">{t('batches.make.limits')}</legend>
      {input('first', t('batches.make.first'), t('batches.make.first.help'))}
      {input('concurrency', t('batches.make.concurrency'))}
      {input('failures', t('batches.make.failures'), t('batches.make.failures.help'))}
    </fieldset>
  )
}
