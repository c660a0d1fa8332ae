import type { Person } from '#contract/runtime-api/common.ts'
import { useRichText } from '../../i18n/use-text.ts'
import { Time } from '../../ui/Time.tsx'

/** The line below a notice that says who did something, when, and why. */
export function WhoAndWhy({ by, at, reason }: { by: Pick<Person, 'name'>; at: string; reason: string }) {
  const rich = useRichText()
  return <>{rich('common.whoAndWhy', { person: by.name, when: <Time at={at} />, reason })}</>
}
