import type { ReactNode } from 'react'
import * as styles from './icons.module.css'

/** Drawn on a 24 px grid; named by meaning, not by shape. */
const paths = {
  home: <path d="M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z" />,
  calendar: <path d="M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1zM4 10h16M8 3v4M16 3v4" />,
  write: <path d="M4 20h4L19 9l-4-4L4 16zM13 7l4 4" />,
  campaigns: <path d="M4 10v4h3l8 5V5l-8 5zM18 9a4 4 0 0 1 0 6" />,
  approvals: <path d="M12 3l7 3v6c0 4-3 7-7 9-4-2-7-5-7-9V6zM9 12l2 2 4-4" />,
  media: <path d="M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4M15.5 9.5h.01" />,
  links: <path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1" />,
  inbox: <path d="M4 13 7 5h10l3 8v6H4zM4 13h5a3 3 0 0 0 6 0h5" />,
  advocacy: <path d="M9 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM3 20a6 6 0 0 1 12 0M16 5a3 3 0 0 1 0 6M18 14a6 6 0 0 1 3 6" />,
  leads: <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20a7 7 0 0 1 14 0M18 6l1.5 1.5L22 5" />,
  streams: <path d="M4 5v14M9 8v8M14 4v16M19 9v6" />,
  dashboards: <path d="M4 20V4M4 20h16M8 16v-4M12 16V8M16 16v-6" />,
  webhooks: <path d="M9 9a3.5 3.5 0 1 1 5 3l3 5M7 13a3.5 3.5 0 1 0 3 5h7M12 9l-4 8" />,
  profiles: <path d="M8 4h8v4H8zM5 12h5v8H5zM14 12h5v8h-5zM12 8v2M7.5 12V10h9v2" />,
  people: <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM5 20a7 7 0 0 1 14 0" />,
  settings: (
    <path d="M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M18.4 5.6l-2.1 2.1M7.7 16.3l-2.1 2.1" />
  ),
  search: <path d="M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM16 16l5 5" />,
  back: <path d="M15 5l-7 7 7 7" />,
  forward: <path d="M9 5l7 7-7 7" />,
  down: <path d="M6 9l6 6 6-6" />,
  close: <path d="M6 6l12 12M18 6 6 18" />,
  plus: <path d="M12 5v14M5 12h14" />,
  more: <path strokeWidth="2.8" d="M5 12h.01M12 12h.01M19 12h.01" />,
  clock: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM12 7v5l3 2" />,
  check: <path d="M5 13l4 4L19 7" />,
  cross: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9 9l6 6M15 9l-6 6" />,
  question: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM9.5 9.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M12 17h.01" />,
  hourglass: <path d="M7 3h10M7 21h10M8 3v4l4 5 4-5V3M8 21v-4l4-5 4 5v4" />,
  dashed: (
    <path d="M12 3a9 9 0 0 1 4 1M20 8a9 9 0 0 1 1 4M20 16a9 9 0 0 1-4 4M12 21a9 9 0 0 1-4-1M4 16a9 9 0 0 1-1-4M4 8a9 9 0 0 1 4-4" />
  ),
  picture: <path d="M4 5h16v14H4zM4 16l5-5 4 4 3-3 4 4" />,
  smile: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM8.5 14a4.5 4.5 0 0 0 7 0M9 9.5h.01M15 9.5h.01" />,
  at: <path d="M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM16 12v1.5a2.5 2.5 0 0 0 5 0V12a9 9 0 1 0-4 7.5" />,
  hash: <path d="M9 4 7 20M17 4l-2 16M4 9h16M4 15h16" />,
  moon: <path d="M20 14a8 8 0 1 1-10-10 7 7 0 0 0 10 10z" />,
  sun: (
    <path d="M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6 7 7M17 17l1.4 1.4M18.4 5.6 17 7M7 17l-1.4 1.4" />
  ),
  warning: <path d="M12 4 3 20h18zM12 10v4M12 17h.01" />,
  outside: <path d="M14 5h5v5M19 5l-8 8M11 6H6a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h11a1 1 0 0 0 1-1v-5" />,
  globe: <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18zM3 12h18M12 3a14 14 0 0 1 0 18M12 3a14 14 0 0 0 0 18" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  bell: <path d="M6 16V11a6 6 0 0 1 12 0v5l2 2H4zM10 21h4" />,
  leave: <path d="M14 4h4a1 1 0 0 1 1 1v14a1 1 0 0 1-1 1h-4M10 8l-4 4 4 4M6 12h9" />,
  keyboard: <path d="M3 7h18v10H3zM7 10h.01M11 10h.01M15 10h.01M8 14h8" />,
  copy: <path d="M9 9h11v11H9zM5 15H4V4h11v1" />,
  trash: <path d="M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13" />,
  again: <path d="M19 12a7 7 0 1 1-2-5l2 2M19 4v5h-5" />,
  up: <path d="M6 15l6-6 6 6" />,
  filter: <path d="M4 6h16l-6 7v6l-4-2v-4z" />,
  folder: <path d="M4 6h5l2 2h9v11H4z" />,
  film: <path d="M4 5h16v14H4zM8 5v14M16 5v14M4 12h16" />,
  document: <path d="M6 3h8l4 4v14H6zM14 3v4h4" />,
  key: <path d="M9 15a4 4 0 1 1 3-1.5l8-8M17 8l2 2M15 10l2 2" />,
  lock: <path d="M6 11h12v9H6zM9 11V8a3 3 0 0 1 6 0v3" />,
  upload: <path d="M12 16V5M7 10l5-5 5 5M5 20h14" />,
  download: <path d="M12 5v11M7 11l5 5 5-5M5 20h14" />,
  tag: <path d="M4 4h8l8 8-8 8-8-8zM8.5 8.5h.01" />,
  history: <path d="M4 12a8 8 0 1 0 2.5-5.800L4 8.5M4 4v4.5h4.5M12 8v4l3 2" />,
} satisfies { [name: string]: ReactNode }

export type IconName = keyof typeof paths

/** Directional icons are mirrored in right-to-left languages. */
const mirrored: ReadonlySet<IconName> = new Set(['back', 'forward', 'leave', 'outside', 'again', 'history'])

/** Decorative: needs a text next to it, or a label on its parent. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg
    data-ui="icon"
    className={styles.icon}
    data-turns={mirrored.has(name) || undefined}
    viewBox="0 0 24 24"
    aria-hidden="true"
    focusable="false"
  >
    {paths[name]}
  </svg>
)
