import type { ReactNode } from 'react'
import { cx } from './class-names.ts'

/**
 * All icons are our own drawings, on a 16 px grid with a 1.5 px line. An icon beside a word is hidden from screen
 * readers; a button with only an icon provides its name.
 */
const drawings = {
  // navigation
  overview: <path d="M2.5 8.5 8 3l5.5 5.5M4 7.2V13h8V7.2" />,
  duty: (
    <path d="M2.5 9.5V8a5.5 5.5 0 0 1 11 0v1.5M2.5 9.5h2.4v3.6H3.7a1.2 1.2 0 0 1-1.2-1.2zM13.5 9.5h-2.4v3.6h1.2a1.2 1.2 0 0 0 1.2-1.2z" />
  ),
  installations: <path d="m8 1.8 5.5 2.9v6.6L8 14.2l-5.5-2.9V4.7zM2.7 4.8 8 7.6l5.3-2.8M8 7.6v6.4" />,
  versions: <path d="m8 2 6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3" />,
  operations: <path d="M2 4h5M2 8h9M5 12h9M11 4h3" />,
  batches: <path d="M4.5 2.5h9v6h-9zM2.5 5v6h9M2.5 8.5v5h6" />,
  comment: <path d="M2.5 3h11v7.5H8L5 13v-2.5H2.5zM5.5 6h5M5.5 8h3" />,
  review: <path d="M3 2.5h10v8H7.5L4.5 13v-2.5H3zM5.5 6.5l1.8 1.8 3.4-3.6" />,
  scopes: (
    <>
      <path d="M2 4.5h6.5M12 4.5h2M2 11.5h2M7.5 11.5H14" />
      <circle cx="10.2" cy="4.5" r="1.8" />
      <circle cx="5.8" cy="11.5" r="1.8" />
    </>
  ),
  catalog: <path d="M3 2.5h2.5v11H3zM7 2.5h2.5v11H7zM11.2 3.2l2 .5-2.2 9.8-.5-.1" />,
  notifications: <path d="M4 6.5a4 4 0 0 1 8 0c0 3.5 1.5 4.8 1.5 4.8h-11S4 10 4 6.5M6.7 13.6h2.6" />,
  notificationsOn: (
    <>
      <path d="M4 6.5a4 4 0 0 1 8 0c0 3.5 1.5 4.8 1.5 4.8h-11S4 10 4 6.5" fill="currentColor" />
      <path d="M6.7 13.6h2.6" />
    </>
  ),
  plugins: <path d="M5.5 2v3.5M10.5 2v3.5M3.5 5.5h9V8a4.5 4.5 0 0 1-9 0zM8 12.5V14.5" />,
  services: (
    <>
      <circle cx="8" cy="3.5" r="1.8" />
      <circle cx="3.6" cy="12" r="1.8" />
      <circle cx="12.4" cy="12" r="1.8" />
      <path d="M7.2 5.2 4.5 10.3M8.8 5.2l2.7 5.1M5.5 12h5" />
    </>
  ),
  audit: <path d="M4 1.8h5.5L12.5 5v9.2H4zM9.2 2v3.2h3M6.3 8h3.6M6.3 11h3.6" />,
  // kinds of resources
  module: <path d="M2.5 5.5h11v8h-11zM5 5.5v-2.5h2v2.5M9 5.5v-2.5h2v2.5M5.5 9.5h5" />,
  gateway: <path d="M2.5 13.5V6.5a5.5 4.5 0 0 1 11 0v7M6 13.5V8.5a2 2 0 0 1 4 0v5M1.5 13.5h13" />,
  agent: <path d="M3 6h10v7H3zM8 6V3M6 9v1M10 9v1M1.5 8.5v2M14.5 8.5v2M7 2.5h2" />,
  timer: (
    <path d="M4 2.5h8M4 13.5h8M4.5 2.5c0 3 3.5 3.8 3.5 5.5s-3.5 2.5-3.5 5.5M11.5 2.5c0 3-3.5 3.8-3.5 5.5s3.5 2.5 3.5 5.5" />
  ),
  // actions
  search: (
    <>
      <circle cx="7" cy="7" r="4.3" />
      <path d="m10.2 10.2 3.6 3.6" />
    </>
  ),
  close: <path d="m3.8 3.8 8.4 8.4M12.2 3.8l-8.4 8.4" />,
  menu: <path d="M2 4h12M2 8h12M2 12h12" />,
  more: (
    <g fill="currentColor" stroke="none">
      <circle cx="3.2" cy="8" r="1.3" />
      <circle cx="8" cy="8" r="1.3" />
      <circle cx="12.8" cy="8" r="1.3" />
    </g>
  ),
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M3 8h10" />,
  check: <path d="m3 8.5 3.3 3.3L13 4.8" />,
  beside: <path d="M2 3h12v10H2zM8.5 3v10" />,
  copy: <path d="M5.5 5.5h8v8h-8zM10.5 5.2V2.5h-8v8h2.7" />,
  link: (
    <path d="M6.6 9.4a2.6 2.6 0 0 0 3.7 0l2.4-2.4A2.6 2.6 0 0 0 9 3.3L7.8 4.5M9.4 6.6a2.6 2.6 0 0 0-3.7 0L3.3 9A2.6 2.6 0 0 0 7 12.7l1.2-1.2" />
  ),
  external: <path d="M9 2.5h4.5V7M13.2 2.8 7.5 8.5M11.5 9.5v4h-9v-9h4" />,
  download: <path d="M8 2v8.2M4.6 7 8 10.4 11.4 7M2.5 13.5h11" />,
  theme: <path d="M8 2.5v11a5.5 5.5 0 0 0 0-11zM8 2.5a5.5 5.5 0 0 0 0 11" />,
  undo: <path d="M3 8a5 5 0 1 0 1.5-3.6M2.8 1.8v3h3" />,
  retry: <path d="M13 8a5 5 0 1 1-1.5-3.6M13.2 1.8v3h-3" />,
  edit: <path d="m10.8 2.7 2.5 2.5-7.8 7.8-3.2.7.7-3.2z" />,
  bookmark: <path d="M4.5 2.5h7v11L8 10.8l-3.5 2.7z" />,
  filter: <path d="M2 3.5h12M4.5 8h7M6.8 12.5h2.4" />,
  chevronDown: <path d="m4 6.2 4 4 4-4" />,
  chevronRight: <path d="m6.2 4 4 4-4 4" />,
  chevronLeft: <path d="m9.8 4-4 4 4 4" />,
  arrowUp: <path d="M8 13.5V2.9M3.8 7 8 2.8 12.2 7" />,
  arrowRight: <path d="M2.5 8h10.6M9 3.8 13.2 8 9 12.2" />,
  sortUp: <path d="M8 13V3.4M4.4 7 8 3.4 11.6 7" />,
  sortDown: <path d="M8 3v9.6M4.4 9 8 12.6 11.6 9" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.8" />
      <path d="M8 1.2v1.6M8 13.2v1.6M1.2 8h1.6M13.2 8h1.6M3.2 3.2l1.1 1.1M11.7 11.7l1.1 1.1M12.8 3.2l-1.1 1.1M4.3 11.7l-1.1 1.1" />
    </>
  ),
  moon: <path d="M13.5 9.6A5.8 5.8 0 0 1 6.4 2.5a5.8 5.8 0 1 0 7.1 7.1z" />,
  screen: <path d="M2 3h12v8H2zM5.5 13.8h5M8 11.2v2.5" />,
  language: (
    <path d="M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM1.9 8h12.2M8 1.9c1.7 1.6 2.6 3.7 2.6 6.1s-.9 4.5-2.6 6.1C6.3 12.5 5.4 10.4 5.4 8S6.3 3.5 8 1.9z" />
  ),
  signOut: <path d="M6.5 2.5h-4v11h4M6 8h7.8M10.6 4.8 13.8 8l-3.2 3.2" />,
  person: (
    <>
      <circle cx="8" cy="5" r="2.7" />
      <path d="M2.8 14c.4-2.8 2.5-4.4 5.2-4.4s4.8 1.6 5.2 4.4" />
    </>
  ),
  info: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M8 7.3v3.9M8 4.7v.2" />
    </>
  ),
  warning: <path d="M8 2 14.5 13.5h-13zM8 6.3v3.5M8 11.6v.1" />,
  offline: (
    <path d="m2 2 12 12M4.8 9.6A4.8 4.8 0 0 1 7 8.3M9.8 8.6a4.8 4.8 0 0 1 1.5 1M2.5 6.8a8 8 0 0 1 2.8-1.9M7.6 4.2a8 8 0 0 1 5.9 2.6M8 12.4v.2" />
  ),
  lock: <path d="M3.5 7h9v6.5h-9zM5.5 6.8V4.9a2.5 2.5 0 0 1 5 0v1.9" />,
  unlocked: <path d="M3.5 7h9v6.5h-9zM5.5 6.8V4.9a2.5 2.5 0 0 1 4.7-1.2" />,
  key: (
    <>
      <circle cx="5" cy="11" r="2.7" />
      <path d="m7 9 6-6M10.3 5.7l2 2M12 4l1.7 1.7" />
    </>
  ),
  calendar: <path d="M2.5 3.5h11v10h-11zM2.5 6.8h11M5.3 2v2.6M10.7 2v2.6" />,
  clock: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M8 4.3V8l2.5 1.7" />
    </>
  ),

  // states and outcomes: distinguishable by shape alone
  done: (
    <>
      <circle cx="8" cy="8" r="7" fill="currentColor" stroke="none" />
      <path d="m4.9 8.3 2.2 2.2 4.1-4.6" stroke="var(--surface)" strokeWidth="1.7" />
    </>
  ),
  verified: (
    <>
      <path
        d="M8 .5 14.2 2.7v4.6c0 4-2.5 6.8-6.2 8.2-3.7-1.4-6.2-4.2-6.2-8.2V2.7z"
        fill="currentColor"
        stroke="none"
      />
      <path d="m4.9 7.9 2.2 2.2 4.1-4.6" stroke="var(--surface)" strokeWidth="1.7" />
    </>
  ),
  failed: (
    <>
      <path d="M5.1 1h5.8L15 5.1v5.8L10.9 15H5.1L1 10.9V5.1z" fill="currentColor" stroke="none" />
      <path d="m5.4 5.4 5.2 5.2M10.6 5.4l-5.2 5.2" stroke="var(--surface)" strokeWidth="1.7" />
    </>
  ),
  unknown: (
    <>
      <path d="M8 .6 15.4 8 8 15.4.6 8z" fill="currentColor" stroke="none" />
      <path
        d="M6.3 6.6c0-1 .7-1.7 1.7-1.7s1.7.6 1.7 1.5c0 1.2-1.7 1.3-1.7 2.5M8 11.1v.1"
        stroke="var(--surface)"
        strokeWidth="1.5"
      />
    </>
  ),
  waiting: (
    <>
      <circle cx="8" cy="8" r="6.2" strokeDasharray="3.25 2.32" />
      <path d="M8 4.6V8l2.3 1.5" />
    </>
  ),
  running: (
    <>
      <path d="M4.7 2.5H2.2v11h2.5" strokeWidth="1.8" className="animate-beat" />
      <path
        d="M5.8 5.8h4.4v4.4H5.8z"
        fill="currentColor"
        stroke="none"
        className="animate-beat [animation-delay:0.2s]"
      />
      <path d="M11.3 2.5h2.5v11h-2.5" strokeWidth="1.8" className="animate-beat [animation-delay:0.4s]" />
    </>
  ),
  nothing: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M5.3 8h5.4" />
    </>
  ),
  paused: <path d="M5.2 3v10M10.8 3v10" strokeWidth="2.4" />,
  resume: <path d="M5 3v10l8-5z" />,
  notCalled: <circle cx="8" cy="8" r="6.2" strokeDasharray="1.2 3.67" strokeWidth="1.8" />,
  pending: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <circle cx="8" cy="8" r="1.4" fill="currentColor" stroke="none" />
    </>
  ),
  takenOver: (
    <>
      <circle cx="8" cy="8" r="6.2" />
      <path d="M5 10.7V9a2 2 0 0 1 2-2h3.6M8.7 4.9 10.9 7 8.7 9.1" />
    </>
  ),
  active: <path d="m8 1.2 6 3.2v7.2l-6 3.2-6-3.2V4.4z" fill="currentColor" stroke="none" />,
  notInstalled: <path d="m8 1.9 5.3 2.8v6.6L8 14.1l-5.3-2.8V4.7z" strokeDasharray="2.4 2" />,
  detached: <path d="m8 1.9 5.3 2.8v6.6L8 14.1l-5.3-2.8V4.7zM2.5 13.5l11-11" />,
} satisfies Record<string, ReactNode>

export type IconName = keyof typeof drawings

export function Icon({
  name,
  size = 16,
  className,
}: {
  name: IconName
  size?: 12 | 14 | 16 | 20 | 24
  className?: string | undefined
}) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={cx('shrink-0', className)}
    >
      {drawings[name]}
    </svg>
  )
}

/** The mark: the three beats of an operation, which are the calls before its resources, the resources, and the calls after. */
export function Brand({ size = 20 }: { size?: 20 | 40 }) {
  return (
    <svg viewBox="0 0 20 20" width={size} height={size} aria-hidden="true" className="shrink-0">
      <rect width="20" height="20" rx="5" fill="var(--mark)" />
      <path
        d="M7 4.8H4.8v10.4H7M13 4.8h2.2v10.4H13"
        fill="none"
        stroke="var(--mark-line)"
        strokeWidth="1.6"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <rect x="7.6" y="7.6" width="4.8" height="4.8" rx="0.8" fill="var(--signal)" />
    </svg>
  )
}
