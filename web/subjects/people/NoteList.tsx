import type { CauseDetail } from '#contract/console-api/shapes.ts'
import { Time } from '../../ui/Time.tsx'

/**
 * Notes on an operation or a cause, the oldest first, as plain text.
 *
 * @param label - the name of the list, where no heading names it
 */
export function NoteList({ notes, label }: { notes: CauseDetail['notes']; label?: string }) {
  return (
    <ul aria-label={label} className="space-y-2">
      {notes.map(({ number, author, at, text }) => (
        <li key={number}>
          <span className="font-medium">{author.name}</span> <Time at={at} className="text-xs text-muted" />
          <p className="wrap-anywhere whitespace-pre-wrap">{text}</p>
        </li>
      ))}
    </ul>
  )
}
