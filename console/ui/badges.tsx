import type { Network } from '#networks/manifests.ts'
import { texts } from '@/i18n/texts.ts'
import * as styles from './badges.module.css'
import { Icon, type IconName } from './icons.tsx'

/** Avatar of a user or profile, with initials as fallback. Decorative: the name is shown beside it. */
export const Avatar = ({ name, picture }: { name: string; picture?: string | undefined }) =>
  picture ? (
    <img data-ui="avatar" className={styles.avatar} src={picture} alt="" loading="lazy" />
  ) : (
    <span data-ui="avatar" className={styles.avatar} aria-hidden="true">
      {initialsOf(name)}
    </span>
  )

const initialsOf = (name: string) =>
  name
    .split(/\s+/)
    .filter(Boolean)
    .slice(0, 2)
    .map((part) => [...part][0]?.toUpperCase())
    .join('')

/** Display name of a network. */
export const networkName = (network: string) => (network === 'Twitter' ? 'X' : network)

/** Colors and shape by network. A network without an entry does not compile. */
const networkIcons = {
  Facebook: [
    '#1553b0',
    'M13.6 20v-6.6h2.3l.4-2.8h-2.7V8.9c0-.8.3-1.4 1.5-1.4h1.3V5a17 17 0 0 0-2-.1c-2 0-3.4 1.2-3.4 3.5v2.2H8.6v2.8H11V20z',
  ],
  Instagram: [
    '#b02e6c',
    'M8.5 5h7A3.5 3.5 0 0 1 19 8.5v7a3.5 3.5 0 0 1-3.5 3.5h-7A3.5 3.5 0 0 1 5 15.5v-7A3.5 3.5 0 0 1 8.5 5zm0 1.8a1.7 1.7 0 0 0-1.7 1.7v7c0 .9.8 1.7 1.7 1.7h7c.9 0 1.7-.8 1.7-1.7v-7c0-.9-.8-1.7-1.7-1.7zM12 8.6a3.4 3.4 0 1 1 0 6.8 3.4 3.4 0 0 1 0-6.8zm0 1.8a1.6 1.6 0 1 0 0 3.2 1.6 1.6 0 0 0 0-3.2zm3.6-3a.9.9 0 1 1 0 1.8.9.9 0 0 1 0-1.8z',
  ],
  LinkedIn: [
    '#0b5a8f',
    'M6 9.6h2.6V18H6zM7.3 5.6a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3zM10.3 9.6h2.5v1.2c.4-.8 1.3-1.4 2.5-1.4 2.3 0 2.9 1.5 2.9 3.6v5h-2.6v-4.5c0-1.1-.2-1.9-1.3-1.9s-1.5.8-1.5 1.9V18h-2.5z',
  ],
  Twitter: [
    '#22282c',
    'M6 5h3.6l3 4.3L16.3 5h1.5l-4.5 5.3L18.2 19h-3.6l-3.3-4.8L7.2 19H5.7l4.9-5.8zm2.1 1.2 7.2 11.6h1L9.1 6.2z',
  ],
  YouTube: ['#b3221b', 'M10 8.2v7.6l6.5-3.8z'],
  TikTok: [
    '#0d5b58',
    'M13 5h2.3c.2 1.7 1.2 2.9 2.9 3v2.3c-1 .1-2-.2-2.9-.8v5a4.5 4.5 0 1 1-4-4.5v2.4a2.1 2.1 0 1 0 1.7 2.1z',
  ],
} satisfies Record<Network, [background: string, shape: string]>

/** All networks, in display order. */
export const networks = Object.keys(networkIcons) as Network[]

/** Our own simplified icon. Set `label` if no text is next to it; then it has an accessible name. */
export function NetworkIcon({ network, label = false }: { network: string; label?: boolean }) {
  const icons: { readonly [network: string]: readonly string[] } = networkIcons
  const [background = '#555', glyph = ''] = icons[network] ?? []
  return (
    <>
      <svg
        data-ui="network-icon"
        className={styles.networkIcon}
        data-network={network}
        viewBox="0 0 24 24"
        aria-hidden="true"
      >
        <rect width="24" height="24" rx="6" fill={background} />
        <path d={glyph} />
      </svg>
      {label && <span className="visually-hidden">{networkName(network)}</span>}
    </>
  )
}

/** Status as displayed. */
export type Status = keyof typeof texts.ui.status

const signs: { [status in Status]: IconName } = {
  planned: 'clock',
  waiting: 'hourglass',
  sent: 'check',
  failed: 'cross',
  unsure: 'question',
  draft: 'dashed',
}

/** Maps the status of the API to the displayed status. */
export function statusOf(status: string, approval = ''): Status {
  if (status === 'complete') return 'sent'
  if (status === 'error' || status === 'incomplete' || approval === 'Rejected') return 'failed'
  if (approval === 'Pending') return 'waiting'
  return status === 'draft' || status === 'inqueue-draft' ? 'draft' : 'planned'
}

/** The icon alone; its text is for screen readers only. */
export const StatusIcon = ({ status }: { status: Status }) => (
  <span data-ui="status" className={styles.statusIcon} data-status={status}>
    <Icon name={signs[status]} />
    <span className="visually-hidden">{texts.ui.status[status]}</span>
  </span>
)

export const StatusBadge = ({ status, children = texts.ui.status[status] }: { status: Status; children?: string }) => (
  <span data-ui="status-badge" className={styles.statusBadge} data-status={status}>
    <Icon name={signs[status]} />
    {children}
  </span>
)
