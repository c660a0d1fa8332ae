/** The color roles; see the comment in `styles/tokens.css`. Written out, because Tailwind finds only complete names. */
export type Tone = 'ok' | 'fail' | 'doubt' | 'live' | 'moved' | 'quiet'

export const toneText: Record<Tone, string> = {
  ok: 'text-ok',
  fail: 'text-fail',
  doubt: 'text-doubt',
  live: 'text-live',
  moved: 'text-moved',
  quiet: 'text-quiet',
}

export const toneTint: Record<Tone, string> = {
  ok: 'bg-ok-tint',
  fail: 'bg-fail-tint',
  doubt: 'bg-doubt-tint',
  live: 'bg-live-tint',
  moved: 'bg-moved-tint',
  quiet: 'bg-quiet-tint',
}

export const toneLine: Record<Tone, string> = {
  ok: 'border-ok-line',
  fail: 'border-fail-line',
  doubt: 'border-doubt-line',
  live: 'border-live-line',
  moved: 'border-moved-line',
  quiet: 'border-quiet-line',
}
